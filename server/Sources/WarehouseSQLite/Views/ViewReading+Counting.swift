import Dispatch
import Foundation
import Ingest
import TernBase
import Threads
import Views
import Warehouse

extension ViewReading {
  /// Counts a day's hits.
  ///
  /// - Parameters:
  ///   - found: Receives the places of the hits.
  ///   - before: Receives the users' states when the day began.
  func count(
    _ day: Int, through row: Int64, into builder: inout ViewDayBuilder, found: ([ViewPlace]) -> Void = { _ in },
    before: ([UInt32: UserState]) -> Void = { _ in }
  ) throws {
    guard let bounds = calendar.bounds(of: day) else { return }
    // This count must not depend on days that lack hits.
    endLag()
    try remember(before: day)
    let isWanted = { [calendar, rows] (id: Int64, time: Int64, received: Int64) in
      id <= row && rows.contains(id) && calendar.day(of: time) == day && calendar.counts(time: time, received: received)
    }
    let userHits = RawHits()
    try scan.rawPortions(bounds, bytes: portion.bytes, where: isWanted) { hits in
      guard view.countsUserIDs else {
        found(hits.places)
        return try count(hits, of: day, into: &builder, before)
      }
      builder.day.changes.states.merge(try add(hits, of: day, to: userHits)) { $1 }
    }
    guard view.countsUserIDs else { return }
    userHits.sort()
    try count(userHits, of: day, into: &builder, before)
  }

  /// Adds the hits of `uid`s under their numbers.
  ///
  /// - Returns: The changed states of clients.
  private func add(_ hits: RawHits, of day: Int, to userHits: RawHits) throws -> [UInt32: UserState] {
    let settings = view.rules(on: Day(number: day)).settings
    var changes: [UInt32: UserState] = [:]
    userHits.devices = hits.devices
    for range in hits.portions(of: portion.hits) {
      var known: [UInt32: UserState] = [:]
      if settings.identity == .user {
        known = try states(of: Set(hits.users(range).map { $0 | ViewIdentity.clientMark }), before: day)
      }
      let outcome = try ViewIdentity.users(of: hits.batch(range), settings, states: known) {
        try userNumbers.number($0)
      }
      for var hit in hits.hits[range] {
        guard let owner = outcome.owners[hit.id] else { continue }
        let (user, parameters) = (hits.user(hit), hits.parameters(hit))
        hit.slot = owner
        userHits.add(hit, user: user, parameters: parameters)
      }
      // Each client is in one portion only.
      changes.merge(outcome.states) { $1 }
    }
    return changes
  }

  /// Counts hits in portions, several in parallel, and merges them in order, so that the result is always the same.
  private func count(
    _ hits: RawHits, of day: Int, into builder: inout ViewDayBuilder, _ before: ([UInt32: UserState]) -> Void
  ) throws {
    let portions = hits.portions(of: portion.hits)
    let (view, rules, done) = (view, rules, DispatchSemaphore(value: 0))
    let counted = Locked<[Int: CountedPortion]>([:])
    var waiting: [[UInt32: UserState]] = []
    var merged = 0
    while merged < portions.count {
      while waiting.count < portions.count, waiting.count - merged < Self.threads.count + 2 {
        let (index, range) = (waiting.count, portions[waiting.count])
        let states = try states(of: hits.users(range), before: day)
        before(states)
        waiting.append(states)
        Self.threads.submit {
          // Calendars are not thread-safe.
          let part = Self.builder(day, view, ViewCalendar(view), rules).counted(hits.batch(range), states)
          counted.withLock { $0[index] = CountedPortion(builder: part) }
          done.signal()
        }
      }
      done.wait()
      while let part = counted.withLock({ $0.removeValue(forKey: merged) }) {
        if part.builder.map({ builder.merge($0) }) != true {
          builder.add(hits.batch(portions[merged]), waiting[merged])
        }
        waiting[merged] = [:]
        merged += 1
      }
      try checkCancellation()
    }
  }

  private static let threads = ThreadPool<Never>(.views)
}

/// The counts of a portion, or `nil` if it must be counted after the portions before it.
///
/// `@unchecked Sendable` because the thread that counted it hands it over and doesn't use it again.
private struct CountedPortion: @unchecked Sendable {
  var builder: ViewDayBuilder?
}
