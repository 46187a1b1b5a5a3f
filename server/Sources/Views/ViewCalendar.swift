import TernEvents
package import Warehouse

/// The report rule of one view: on which day a hit counts, whether it came in time, and when a day is final.
///
/// A hit of day `d` counts if and only if it was received before `cutoff(d)`: strictly, to the millisecond, by civil
/// time.
/// Where the view's zone was changed, each moment is dated by the zone that counted then, but never to a day before
/// one that had begun: otherwise a move to the west would add to days that are final.
/// Not for sharing between threads.
package final class ViewCalendar {
  /// How long after it happened a hit may be received under the rule `window`, and how long before.
  private static let window: Int64 = 25 * 86_400_000
  private static let lead: Int64 = 3 * 86_400_000

  private struct Piece {
    var start: Int64
    var end: Int64
    var zone: CivilZone
    /// The day that was under way when the zone was changed.
    var firstDay: Int
  }

  /// From which day on which hits come too late, in order.
  private let rules: [(start: Int, lateness: View.Lateness)]
  private let pieces: [Piece]

  /// Creates the rule of a view; `nil` when the system does not know one of its zones.
  package init?(_ view: View) {
    rules = view.rules.map { ($0.start?.number ?? .min, $0.lateness) }
    var pieces: [Piece] = []
    for (index, entry) in view.zones.enumerated() {
      guard let zone = CivilZone(entry.identifier) else { return nil }
      let start = index == 0 ? Int64.min : entry.start.millisecondsSince1970
      let end = index + 1 < view.zones.count ? view.zones[index + 1].start.millisecondsSince1970 : Int64.max
      let before = pieces.last.map { max($0.zone.day(of: start - 1), $0.firstDay) } ?? Int.min
      pieces.append(Piece(start: start, end: end, zone: zone, firstDay: before))
    }
    guard !pieces.isEmpty else { return nil }
    self.pieces = pieces
  }

  /// The civil day on which a hit counts, as days since 1970-01-01.
  package func day(of time: Int64) -> Int {
    let piece = piece(at: time)
    return max(piece.zone.day(of: time), piece.firstDay)
  }

  /// The hour that clocks showed.
  package func hour(of time: Int64) -> Int { piece(at: time).zone.hour(of: time) }

  /// Whether a hit that happened at `time` and was received at `received` is in the view's reports.
  package func counts(time: Int64, received: Int64) -> Bool {
    let day = day(of: time)
    return switch lateness(of: day) {
    case .none: end(ofEndless: day).map { received < $0 } ?? true
    case .window: received - time <= Self.window && time - received <= Self.lead
    case .cutoff: received < piece(at: time).zone.cutoff(of: day)
    }
  }

  /// When nothing can be added to a day any more; `nil` when that never is.
  package func final(_ day: Int) -> Int64? { final(day, lateness(of: day)) }

  private func final(_ day: Int, _ lateness: View.Lateness) -> Int64? {
    switch lateness {
    case .none: end(ofEndless: day)
    case .window: bounds(of: day).map { $0.upperBound + Self.window + 1 }
    case .cutoff: piecesHolding(day).map { $0.zone.cutoff(of: day) }.max()
    }
  }

  private func lateness(of day: Int) -> View.Lateness {
    rules.count == 1 ? rules[0].lateness : rules.last { $0.start <= day }?.lateness ?? .cutoff
  }

  /// When nothing can be added any more to days that are never final by themselves: when the last of them would be final
  /// by the rule that came after them; `nil` while there is none.
  private func end(ofEndless day: Int) -> Int64? {
    guard let next = rules.first(where: { $0.lateness != .none && $0.start > day }) else { return nil }
    // Nowhere were two dates in a row left out.
    let last = (next.start - 3..<next.start).last { bounds(of: $0) != nil } ?? day
    return final(last, next.lateness)
  }

  /// The next date that exists.
  package func next(after day: Int) -> Int { (day + 1...day + 3).first { bounds(of: $0) != nil } ?? day + 1 }

  /// From the first to the last moment of a day; `nil` for a date that was left out.
  ///
  /// Moments between them may belong to another day: ask ``day(of:)`` too.
  package func bounds(of day: Int) -> Range<Int64>? {
    let parts = piecesHolding(day).compactMap { part(of: day, in: $0) }
    guard let first = parts.map(\.lowerBound).min(), let last = parts.map(\.upperBound).max() else { return nil }
    return first..<last
  }

  private func piece(at time: Int64) -> Piece {
    pieces.last { $0.start <= time } ?? pieces[0]
  }

  private func piecesHolding(_ day: Int) -> [Piece] { pieces.filter { part(of: day, in: $0) != nil } }

  /// The moments that a piece dates to a day.
  private func part(of day: Int, in piece: Piece) -> Range<Int64>? {
    guard day >= piece.firstDay else { return nil }
    guard var bounds = piece.zone.bounds(of: day) else { return nil }
    // What the new zone dates to earlier days counts on the day under way.
    if day == piece.firstDay { bounds = min(bounds.lowerBound, piece.start)..<bounds.upperBound }
    let (first, last) = (max(bounds.lowerBound, piece.start), min(bounds.upperBound, piece.end))
    return first < last ? first..<last : nil
  }
}
