import ServerBase
import TernBase
import TernEvents
package import Warehouse

/// The calendar of one view: the day on which a hit counts, whether it arrived in time, and when a day becomes final.
///
/// A hit of day `d` counts if and only if it was received strictly before `cutoff(d)`, to the millisecond, in civil
/// time. After a change of zone, each moment is dated by the zone in effect then, but never to a day earlier than the
/// one in progress at the change: otherwise a move westwards would add hits to final days. Not thread-safe.
package final class ViewCalendar {
  /// The longest time that a hit may be received after it happened under the rule `window`.
  private static let window: SaturatingInt64 = 25 * 86_400_000
  private static let lead: SaturatingInt64 = 3 * 86_400_000

  private struct Piece {
    var start: Int64
    var end: Int64
    var zone: ZoneCalendar
    /// The day in progress when the zone changed.
    var firstDay: Int
  }

  /// The lateness rules in order, each with the first day to which it applies.
  private let rules: [(start: Int, lateness: View.Lateness)]
  private let pieces: [Piece]

  package init(_ view: View) {
    rules = view.rules.map { ($0.start?.number ?? .min, $0.lateness) }
    var pieces: [Piece] = []
    let zones = view.zones.isEmpty ? [View.Zone(.utc, start: Timestamp(millisecondsSince1970: 0))] : view.zones
    for (index, entry) in zones.enumerated() {
      let zone = ZoneCalendar(entry.rules)
      let start = index == 0 ? Int64.min : EventTime(entry.start.millisecondsSince1970).milliseconds
      let end = index + 1 < zones.count ? zones[index + 1].start.millisecondsSince1970 : Int64.max
      let before = pieces.last.map { max($0.zone.day(of: start), $0.firstDay) } ?? Int.min
      pieces.append(Piece(start: start, end: end, zone: zone, firstDay: before))
    }
    self.pieces = pieces
  }

  /// The civil day on which a hit counts, as days since 1970-01-01.
  package func day(of time: Int64) -> Int {
    let piece = piece(at: time)
    return max(piece.zone.day(of: time), piece.firstDay)
  }

  /// The local hour of a time.
  package func hour(of time: Int64) -> Int { piece(at: time).zone.hour(of: time) }

  /// Returns true if a hit that happened at `time` and was received at `received` counts in the view's reports.
  package func counts(time: Int64, received: Int64) -> Bool {
    let day = day(of: time)
    return switch lateness(of: day) {
    case .none: end(ofEndless: day).map { received < $0 } ?? true
    case .window:
      EventTime(received) - EventTime(time) <= Self.window && EventTime(time) - EventTime(received) <= Self.lead
    case .cutoff: received < piece(at: time).zone.cutoff(of: day)
    }
  }

  /// The time from which a day can no longer change, or `nil` if it stays open forever.
  package func final(_ day: Int) -> Int64? { final(day, lateness(of: day)) }

  private func final(_ day: Int, _ lateness: View.Lateness) -> Int64? {
    switch lateness {
    case .none: end(ofEndless: day)
    case .window: bounds(of: day).map { $0.upperBound + Self.window.rawValue + 1 }
    case .cutoff: piecesHolding(day).map { $0.zone.cutoff(of: day) }.max()
    }
  }

  private func lateness(of day: Int) -> View.Lateness {
    rules.count == 1 ? rules[0].lateness : rules.last { $0.start <= day }?.lateness ?? .cutoff
  }

  /// The time at which open-ended days become final: when the last of them becomes final under the rule that follows.
  /// `nil` if no rule follows.
  private func end(ofEndless day: Int) -> Int64? {
    guard let next = rules.first(where: { $0.lateness != .none && $0.start > day }) else { return nil }
    // No zone has ever skipped two dates in a row.
    let last = (next.start - 3..<next.start).last { bounds(of: $0) != nil } ?? day
    return final(last, next.lateness)
  }

  /// The next date that exists in the view's zone.
  package func next(after day: Int) -> Int { (day + 1...day + 3).first { bounds(of: $0) != nil } ?? day + 1 }

  /// The range from the first to the last moment of a day, or `nil` for a date that was skipped.
  ///
  /// Some moments in the range may belong to another day: check ``day(of:)`` too.
  package func bounds(of day: Int) -> Range<Int64>? {
    let parts = piecesHolding(day).compactMap { part(of: day, in: $0) }
    guard let first = parts.map(\.lowerBound).min(), let last = parts.map(\.upperBound).max() else { return nil }
    return first..<last
  }

  private func piece(at time: Int64) -> Piece {
    pieces.last { $0.start <= time } ?? pieces[0]
  }

  private func piecesHolding(_ day: Int) -> [Piece] { pieces.filter { part(of: day, in: $0) != nil } }

  /// The moments that a piece assigns to a day.
  private func part(of day: Int, in piece: Piece) -> Range<Int64>? {
    guard day >= piece.firstDay else { return nil }
    guard var bounds = piece.zone.bounds(of: day) else { return nil }
    // Moments that the new zone would assign to earlier days count on the day in progress.
    if day == piece.firstDay { bounds = min(bounds.lowerBound, piece.start)..<bounds.upperBound }
    let (first, last) = (max(bounds.lowerBound, piece.start), min(bounds.upperBound, piece.end))
    return first < last ? first..<last : nil
  }
}
