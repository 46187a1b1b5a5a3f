import RowFiles
import ServerBase
import TernBase
import Views
import Warehouse

/// A cache of the days on which apps have hits in complete spans of rows that cover a long time. Such spans never
/// change.
final class SpanDays: Sendable {
  struct Key: Hashable {
    var app: Int64
    var firstID: Int64
  }

  private static let maximumSpans = 20_000
  private let known = Locked<[Key: [Int]]>([:])

  /// - Parameter load: Reads the days if they are not cached.
  func days(_ key: Key, _ load: () throws -> [Int]) rethrows -> [Int] {
    if let days = known.withLock({ $0[key] }) { return days }
    let days = try load()
    known.withLock { known in
      if known.count >= Self.maximumSpans { known = [:] }
      known[key] = days
    }
    return days
  }
}

extension ViewScan {
  /// The number of days that a span may cover without being searched. Spans that cover more are searched for their
  /// days, so that one wrong clock doesn't make decades of days look busy.
  private static let shortSpan = 3

  /// Returns the UTC days on which the app may have hits.
  func busyDays(_ known: SpanDays) throws -> Set<Int> {
    var days: Set<Int> = []
    for span in spans {
      let (first, last) = (Self.day(span.times.lowerBound), Self.day(span.times.upperBound))
      if last - first <= Self.shortSpan {
        days.formUnion(first...last)
      } else if !span.isComplete {
        days.formUnion(try self.days(of: span))
      } else {
        let key = SpanDays.Key(app: app, firstID: span.ids.lowerBound)
        days.formUnion(try known.days(key) { try self.days(of: span) })
      }
    }
    return days
  }

  private func days(of span: StoredSpan) throws -> [Int] {
    var days: Set<Int> = []
    let rows = EventScan(connection, [span])
    while let row = try rows.next() { if row.app == app { days.insert(Self.day(row.time)) } }
    return days.sorted()
  }

  private static func day(_ time: Int64) -> Int { Int(flooredQuotient(time, 86_400_000)) }
}

extension ViewReading {
  /// Returns the view's days on which a hit may have happened, late or not.
  func loadHitDays() throws -> Set<Int> {
    var days: Set<Int> = []
    for utc in try scan.busyDays(spanDays) {
      let start = Int64(utc) * 86_400_000
      // A margin of one day, because the view's zone and its changes shift moments to neighbouring days.
      let (first, last) = (calendar.day(of: start) - 1, calendar.day(of: start + 86_399_999) + 1)
      days.formUnion(min(first, last)...max(first, last))
    }
    return days
  }

  /// Returns the view's days that may have users: sealed days with users, and other days that may have hits.
  func loadBusyDays() throws -> Set<Int> {
    guard let sealed = try lastSealed() else { return try hitDays.get() }
    var days = try hitDays.get().filter { $0 > sealed }
    let statement = try connection.prepare(kept: "SELECT day FROM view_day WHERE view = ? AND length(present) > 1")
    statement.bind(view.id.rawValue)
    while try statement.step() { days.insert(statement.day(0)) }
    return days
  }

  /// Returns true if a hit may have happened on the day.
  func mayHaveHits(_ day: Int) throws -> Bool { try hitDays.get().contains(day) }

  /// Returns true if the day may have users. Other days can be skipped.
  func isBusy(_ day: Int) throws -> Bool { try busyDays.get().contains(day) }
}

extension ViewReading {
  /// Returns the time range of some days, or `nil` if none of them exists.
  func times(of days: ClosedRange<Day>) -> Range<Int64>? {
    let numbers = days.lowerBound.number...days.upperBound.number
    guard let first = numbers.lazy.compactMap({ self.calendar.bounds(of: $0) }).first,
      let last = numbers.reversed().lazy.compactMap({ self.calendar.bounds(of: $0) }).first
    else { return nil }
    return first.lowerBound..<max(first.upperBound, last.upperBound)
  }
}
