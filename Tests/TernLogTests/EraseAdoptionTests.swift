import Foundation
import TernEvents
import TernTestSupport
import Testing

@testable import TernLog

@Suite struct `An erasure interrupted in another process`: ErasingTests {
  /// Next to a living log, an erasure in another one fails at one operation, and optionally at all later ones. Then
  /// both processes die, and the process that opens the first directory adopts the second.
  private func dieBesideAnother(
    _ fixture: LogFixture, at failing: Int, forGood: Bool
  ) throws -> (isKnown: Bool, operations: Int) {
    let other = try fixture.open()
    for number in 1000..<1003 { fixture.append(other, number, identity: 3) }
    let (dead, _, operations) = try erase(fixture) { operation in
      (forGood ? operation >= failing : operation == failing) ? .fail(errno: EIO) : nil
    }
    // Appended later, so not affected.
    if !forGood { for number in 42..<44 { fixture.append(dead, number, identity: 3) } }
    let isKnown = fixture.memory?.paths.contains { $0.hasSuffix("log-1/erasing") } == true
    fixture.memory?.killProcess()
    withExtendedLifetime((other, dead)) {}
    return (isKnown, operations)
  }

  /// The last operation of an erasure with whose failure alone it stays incomplete.
  private func failingRemoval() throws -> Int {
    let (_, operations) = try dieBesideAnother(LogFixture(), at: .max, forGood: false)
    let failing = try (1...operations).last { try dieBesideAnother(LogFixture(), at: $0, forGood: false).isKnown }
    return try #require(failing)
  }

  /// The events that the adopting process must find: none whose erasure was saved, and all others.
  private func checkHeir(_ fixture: LogFixture, isKnown: Bool, later: [Int], _ place: Comment) throws {
    let successor = try fixture.open()
    let found = successor.drain().sorted()
    let expected = (0..<40).filter { identity($0) != 3 }
    #expect(
      found.filter { $0 >= 1000 } == [1000, 1001, 1002], "of the same identity, but of another process, \(place)")
    #expect(Set(later).isSubset(of: found), place)
    #expect(found.filter { $0 < 40 && identity($0) != 3 }.allSatisfy(expected.contains), place)
    if isKnown {
      #expect(found.filter { $0 < 40 && identity($0) == 3 } == [], place)
      #expect(onDisk(fixture, 0..<40).allSatisfy { identity($0) != 3 }, place)
    }
    #expect(successor.counts.dropped[.damaged] == nil && successor.counts.balances, place)
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == false, place)
    // Numbers named by an erasure are not used again.
    fixture.append(successor, 50, identity: 3)
    fixture.memory?.killProcess()
    let last = try fixture.open()
    #expect(last.drain() == [50], place)
    fixture.memory?.killProcess()
    withExtendedLifetime((successor, last)) {}
  }

  @Test func `is completed by the process that adopts the log, wherever the first one died`() throws {
    var carriedOn = 0
    for forGood in [true, false] {
      var dying = 1
      while true {
        let fixture = LogFixture()
        let (isKnown, operations) = try dieBesideAnother(fixture, at: dying, forGood: forGood)
        if isKnown { carriedOn += 1 }
        let later = forGood ? [] : [42, 43]
        try checkHeir(fixture, isKnown: isKnown, later: later, "operation \(dying), for good: \(forGood)")
        dying += 1
        if dying > operations { break }
      }
    }
    #expect(carriedOn > 20)
  }

  @Test func `is completed, wherever the adopting process dies`() throws {
    let prepared = LogFixture()
    let failing = try failingRemoval()
    _ = try dieBesideAnother(prepared, at: failing, forGood: false)
    let before = prepared.memory?.operationCount ?? 0
    _ = try prepared.open()
    let operations = (prepared.memory?.operationCount ?? 0) - before
    #expect(operations > 50)
    for dying in 1...operations {
      // A torn write matters only at writes; every third operation is enough.
      for isTorn in dying % 3 == 0 ? [false, true] : [false] {
        let fixture = LogFixture()
        _ = try dieBesideAnother(fixture, at: failing, forGood: false)
        let before = fixture.memory?.operationCount ?? 0
        fixture.memory?.setScript { operation in
          let number = operation.number - before
          if isTorn, number == dying { return .tearAndFail(bytes: 9, errno: EIO) }
          return number >= dying ? .fail(errno: EIO) : nil
        }
        let adopter = try? fixture.open()
        fixture.memory?.killProcess()
        withExtendedLifetime(adopter) {}
        fixture.memory?.setScript(nil)
        try checkHeir(fixture, isKnown: true, later: [42, 43], "the adopter dies at operation \(dying)")
      }
    }
  }

  @Test func `stays pending, with its events, when these cannot be listed`() throws {
    let fixture = LogFixture()
    _ = try dieBesideAnother(fixture, at: failingRemoval(), forGood: false)
    fixture.memory?.setScript { $0.kind == .list && $0.path.hasSuffix("log-1") ? .fail(errno: EMFILE) : nil }
    let adopter = try fixture.open()
    #expect(adopter.counts.waiting == 3, "nothing was adopted")
    fixture.memory?.setScript(nil)
    fixture.memory?.killProcess()
    withExtendedLifetime(adopter) {}
    try checkHeir(fixture, isKnown: true, later: [42, 43], "listed at the next launch")
  }

  @Test func `that cannot be read is completed by the first launch that can, and spares later events`() throws {
    let fixture = LogFixture()
    let expected = try erase(LogFixture(), fault: nil).log.drain().sorted()
    let (dead, _, _) = try erase(fixture) { $0 >= 20 ? .fail(errno: EIO) : nil }
    try #require(fixture.memory?.paths.contains { $0.hasSuffix("log-0/erasing") } == true)
    fixture.memory?.killProcess()
    fixture.memory?.setScript { $0.kind == .open && $0.path.hasSuffix("erasing") ? .fail(errno: EMFILE) : nil }
    let unaware = try fixture.open()
    for number in 50..<53 { fixture.append(unaware, number, identity: 3) }
    fixture.memory?.setScript(nil)
    fixture.memory?.killProcess()
    let heir = try fixture.open()
    #expect(heir.drain().sorted() == expected + [50, 51, 52])
    #expect(onDisk(fixture, 0..<40).allSatisfy { identity($0) != 3 } && heir.counts.balances)
    #expect(fixture.memory?.paths.contains { $0.hasSuffix("erasing") } == false)
    withExtendedLifetime((dead, unaware)) {}
  }
}
