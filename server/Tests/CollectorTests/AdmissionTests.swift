import TernBase
import TernEvents
import Testing

@testable import HTTP
@testable import Ingestion

/// Tests the budget of request bytes.
@Suite struct AdmissionTests {
  private func admission(_ maximum: Int, perOwner: Int = .max) -> Admission {
    Admission(.init(maximumBytes: maximum, maximumBytesPerOwner: perOwner))
  }

  private func begin(
    _ admission: inout Admission, declared: Int? = nil, client: String = "a", app: Int64? = nil,
    at now: Duration = .zero
  ) throws -> Int {
    let owners = [RequestOwner.client(client)] + (app.map { [.app($0)] } ?? [])
    let ticket = admission.begin(declared: declared, owners: owners, at: now)
    return try #require(ticket)
  }

  @Test func `a declared length reserves no room, and is only refused when complete bodies leave none`() throws {
    var admission = admission(100)
    for _ in 0..<1_000 { #expect(admission.begin(declared: 100, owners: [.client("a")], at: .zero) != nil) }
    #expect(admission.bytes == 0)
    #expect(admission.begin(declared: 101, owners: [.client("a")], at: .zero) == nil)
    for declared in [Int.min, -1, .max] {
      let ticket = admission.begin(declared: declared, owners: [.client("a")], at: .zero)
      #expect((ticket == nil) == (declared == .max))
    }
    let stored = try begin(&admission, declared: 60, client: "a", at: .zero)
    #expect(admission.grow(stored, by: 60, at: .zero) == .admitted(aborting: []))
    #expect(admission.begin(declared: 41, owners: [.client("b")], at: .zero) != nil, "it may still be aborted")
    admission.complete(stored)
    #expect(admission.begin(declared: 41, owners: [.client("b")], at: .zero) == nil)
    #expect(admission.begin(declared: 40, owners: [.client("b")], at: .zero) != nil)
    #expect(admission.begin(declared: nil, owners: [.client("b")], at: .zero) != nil)
    admission.release(stored)
    #expect(admission.begin(declared: 100, owners: [.client("b")], at: .zero) != nil)
  }

  @Test func `an arriving body displaces the most expensive incomplete one`() throws {
    var admission = admission(100)
    let tickets = try (0..<3).map { try begin(&admission, declared: 50, client: "a", at: .seconds($0)) }
    #expect(admission.grow(tickets[0], by: 20, at: .seconds(3)) == .admitted(aborting: []))
    #expect(admission.grow(tickets[1], by: 45, at: .seconds(3)) == .admitted(aborting: []))
    #expect(admission.grow(tickets[2], by: 35, at: .seconds(3)) == .admitted(aborting: []))
    // 20 for 10 s, 45 for 9 s and 35 for 8 s.
    let late = try begin(&admission, declared: 50, client: "b", at: .seconds(10))
    #expect(admission.grow(late, by: 1, at: .seconds(10)) == .admitted(aborting: [tickets[1]]))
    #expect(!admission.contains(tickets[1]))
    #expect(admission.grow(tickets[1], by: 1, at: .seconds(10)) == .refused(aborting: []), "it was aborted")
    admission.complete(tickets[2])
    #expect(admission.grow(late, by: 49, at: .seconds(10)) == .admitted(aborting: [tickets[0]]))
    #expect(admission.grow(late, by: 16, at: .seconds(11)) == .refused(aborting: []), "no other body is left to abort")
    #expect(admission.bytes == 85)
  }

  @Test func `the most expensive client does not displace others`() throws {
    var admission = admission(100)
    let greedy = try begin(&admission, declared: nil, client: "a", at: .zero)
    #expect(admission.grow(greedy, by: 90, at: .zero) == .admitted(aborting: []))
    let other = try begin(&admission, declared: nil, client: "b", at: .seconds(5))
    #expect(admission.grow(other, by: 10, at: .seconds(5)) == .admitted(aborting: []))
    #expect(admission.grow(greedy, by: 5, at: .seconds(9)) == .refused(aborting: []))
    #expect(admission.contains(other))
  }

  @Test func `a client's bodies have a limited share, but a single body may use everything`() throws {
    var admission = admission(100, perOwner: 50)
    let first = try begin(&admission, at: .zero)
    #expect(admission.grow(first, by: 60, at: .zero) == .admitted(aborting: []))
    let second = try begin(&admission, at: .seconds(1))
    #expect(admission.grow(second, by: 10, at: .seconds(2)) == .admitted(aborting: [first]))
    let foreign = try begin(&admission, client: "b", at: .seconds(1))
    #expect(admission.grow(foreign, by: 50, at: .seconds(2)) == .admitted(aborting: []))
    let third = try begin(&admission, at: .seconds(2))
    #expect(admission.grow(third, by: 41, at: .seconds(3)) == .admitted(aborting: [second]))
    #expect(admission.bytes == 91)
  }

  @Test func `complete bodies fill the share of their client and of their app, and leave the rest to others`() throws {
    var admission = admission(100, perOwner: 50)
    for number in 0..<5 {
      // One app's public key, used from everywhere.
      let body = try begin(&admission, client: "\(number)", app: 1)
      #expect(admission.grow(body, by: 10, at: .zero) == .admitted(aborting: []))
      admission.complete(body)
    }
    let more = try begin(&admission, declared: 0, client: "5", app: 1)
    #expect(admission.grow(more, by: 1, at: .zero) == .refused(aborting: []), "no body of the app can be aborted")
    #expect(admission.begin(declared: 1, owners: [.client("6"), .app(1)], at: .zero) == nil, "nor be begun")
    for number in 0..<2 {
      let other = try begin(&admission, declared: 25, client: "c", app: Int64(2 + number))
      #expect(admission.grow(other, by: 25, at: .zero) == .admitted(aborting: []))
      admission.complete(other)
    }
    #expect(admission.begin(declared: 1, owners: [.client("c"), .app(9)], at: .zero) == nil, "one client, many apps")
    #expect(admission.bytes == 100)
  }

  @Test func `a stalled body is aborted, a slow one is not`() throws {
    var admission = Admission(
      .init(maximumBytes: 1_000, progressInterval: .seconds(5), minimumProgress: 10))
    let silent = try begin(&admission, declared: 100, client: "a", at: .zero)
    let slow = try begin(&admission, declared: 100, client: "a", at: .zero)
    let stored = try begin(&admission, declared: 1, client: "a", at: .zero)
    admission.complete(stored)
    #expect(admission.abortStalled(at: .seconds(4)) == [])
    for second in [5, 10, 15, 20] {
      _ = admission.grow(slow, by: 10, at: .seconds(second))
      #expect(admission.abortStalled(at: .seconds(second)) == (second == 10 ? [silent] : []))
    }
    _ = admission.grow(slow, by: 9, at: .seconds(21))
    #expect(admission.abortStalled(at: .seconds(24)) == [])
    #expect(admission.abortStalled(at: .seconds(25)) == [slow])
    #expect(admission.contains(stored))
    #expect(admission.bytes == 0)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the budget is never exceeded and always returned, whatever is requested`(seed: UInt64) {
    var generator = FastGenerator(seed: seed)
    var admission = admission([0, 1, 10, 1_000][Int(seed % 4)], perOwner: [1, 300, .max][Int(seed % 3)])
    var tickets: [Int] = []
    for step in 0..<2_000 {
      let now = Duration.milliseconds(step * 10)
      let ticket = tickets.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        let declared = [nil, 0, 10, 500, Int.max, -1].randomElement(using: &generator) ?? nil
        let client = ["a", "b", "c"].randomElement(using: &generator) ?? ""
        if let new = admission.begin(declared: declared, owners: [.client(client)], at: now) { tickets.append(new) }
      case 2, 3:
        let count = [0, 1, 7, 400, Int.max, -1].randomElement(using: &generator) ?? 0
        _ = admission.grow(ticket, by: count, at: now)
      case 4: admission.complete(ticket)
      default: admission.release(ticket)
      }
      if step.isMultiple(of: 100) { _ = admission.abortStalled(at: now) }
      #expect((0...admission.limits.maximumBytes).contains(admission.bytes))
      #expect((0...admission.bytes).contains(admission.completeBytes))
    }
    for ticket in tickets { admission.release(ticket) }
    #expect(admission.bytes == 0 && admission.completeBytes == 0)
  }

  @Test func `a reservation returns its bytes, and losing it ends its connection`() throws {
    let aborts = Locked<[String]>([])
    let clock = Locked(Duration.zero)
    let gate = AdmissionGate(.init(maximumBytes: 100), now: { clock.withLock { $0 } })
    do {
      let query = try #require(gate.reserve(60, owners: []))
      #expect(gate.reserve(41, owners: []) == nil)
      #expect(query.grow(to: 5) && query.grow(to: 70))
      #expect(gate.bytes == 70)
      #expect(!query.grow(to: 101))
      let arriving = gate.begin(
        declared: 30, owners: [.client("a")], abort: { aborts.withLock { $0.append("a") } })
      let body = try #require(arriving)
      #expect(body.grow(by: 30))
      #expect(query.grow(to: 71), "complete bodies take precedence over arriving ones")
      #expect(body.isAborted)
      #expect(aborts.withLock { $0 } == ["a"])
      #expect(!body.grow(by: 1))
      let silent = gate.begin(declared: 9, owners: [.client("b")], abort: { aborts.withLock { $0.append("b") } })
      let slow = try #require(silent)
      clock.withLock { $0 = .seconds(60) }
      gate.abortStalled()
      #expect(slow.isAborted && !query.isAborted)
      #expect(aborts.withLock { $0 } == ["a", "b"])
    }
    #expect(gate.bytes == 0)
  }

  @Test func `there is room for any body that would be admitted, and for any size in an unused budget`() throws {
    for (maximum, taken, count, expected) in [
      (100, 0, 100, true), (100, 1, 99, true), (100, 1, 100, false), (100, 0, 1_000, true), (100, 1, 1_000, false),
      (0, 0, 10, true),
    ] {
      var admission = Admission(Admission.Limits(maximumBytes: maximum))
      if taken > 0 {
        let begun = admission.begin(declared: taken, owners: [.client("a")], at: .zero)
        let ticket = try #require(begun)
        let growth = admission.grow(ticket, by: taken, at: .zero)
        #expect(growth == .admitted(aborting: []))
        // Arriving bodies would give way.
        #expect(admission.hasRoom(for: count))
        admission.complete(ticket)
      }
      #expect(admission.hasRoom(for: count) == expected, "\(maximum) \(taken) \(count)")
    }
  }

  @Test func `after a failure one caller at a time probes, and the others wait`() {
    var readiness = Readiness(memory: .seconds(10), probeInterval: .seconds(1))
    func health(_ now: Duration) -> Readiness.WriteHealth { readiness.writeHealth(at: now) }
    #expect(health(.zero) == .healthy)
    readiness.failed(at: .seconds(5))
    #expect(health(.milliseconds(5_999)) == .failing)
    #expect(health(.seconds(6)) == .needsProbe)
    #expect(health(.seconds(6)) == .failing)
    readiness.failed(at: .seconds(8))
    #expect(health(.milliseconds(8_999)) == .failing)
    // Time alone does not end the failure.
    #expect(health(.seconds(100_000)) == .needsProbe)
    readiness.succeeded()
    #expect(health(.seconds(100_000)) == .healthy)
  }

  @Test func `a storage failure is remembered for a while, or until a write succeeds`() {
    var readiness = Readiness(memory: .seconds(10))
    #expect(readiness.isReady(at: .zero))
    readiness.failed(at: .seconds(5))
    #expect(!readiness.isReady(at: .seconds(14)))
    #expect(readiness.isReady(at: .seconds(15)))
    readiness.failed(at: .seconds(20))
    readiness.succeeded()
    #expect(readiness.isReady(at: .seconds(20)))
  }

  @Test func `a repeated fault is reported at intervals, with a count`() {
    var fault = LogThrottle(interval: .seconds(10))
    #expect(fault.occurred(at: .seconds(1)) == 1)
    for second in 2..<11 { #expect(fault.occurred(at: .seconds(second)) == nil) }
    #expect(fault.occurred(at: .seconds(11)) == 10)
    #expect(fault.occurred(at: .seconds(12)) == nil)
    #expect(fault.occurred(at: .seconds(40)) == 2)
  }
}
