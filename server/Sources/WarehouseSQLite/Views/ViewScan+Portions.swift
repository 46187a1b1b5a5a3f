import RowFiles
import Views
import Warehouse

/// Limits on how much of a day is held in memory at once.
struct ViewPortion {
  /// The number of decoded hits in a portion, unless a single user has more.
  static let decodedHits = 8_000
  /// The number of stored hits in a portion, unless a single user has more.
  var hits = 32_000
  /// The bytes of stored hits held in memory, unless a single user has more; briefly up to twice as many.
  var bytes = 128 << 20
}

/// The place where a hit is stored, and its user.
struct ViewPlace: BitwiseCopyable {
  var slot: UInt32
  var id: Int64

  static func isBefore(_ left: ViewPlace, _ right: ViewPlace) -> Bool {
    (left.slot, left.id) < (right.slot, right.id)
  }
}

extension ViewScan {
  /// Passes on the wanted hits of a time range in portions of whole users, ordered by slot.
  ///
  /// - Parameter isWanted: Receives the row, the hit's time and the time of its receipt.
  func portions(
    _ times: Range<Int64>, of size: Int = ViewPortion.decodedHits, where isWanted: (Int64, Int64, Int64) -> Bool,
    body: ([ViewHit]) throws -> Void
  ) throws {
    let places = try places(times, where: isWanted)
    var start = 0
    while start < places.count {
      var end = min(start + size, places.count)
      while end < places.count, places[end].slot == places[end - 1].slot { end += 1 }
      try body(hits(places[start..<end]))
      start = end
    }
  }

  /// Returns the sorted places of wanted hits; see ``portions(_:of:where:body:)``.
  func places(_ times: Range<Int64>, where isWanted: (Int64, Int64, Int64) -> Bool) throws -> [ViewPlace] {
    var places: [ViewPlace] = []
    let rows = EventScan(connection, spans(in: times))
    var read = 0
    while let row = try rows.next() {
      read += 1
      // A day can have tens of millions of rows.
      if read % 10_000 == 0, isCancelled() { throw CancellationError() }
      guard row.app == app, times.contains(row.time), isWanted(row.id, row.time, row.received) else { continue }
      places.append(ViewPlace(slot: row.slot, id: row.id))
    }
    places.sort(by: ViewPlace.isBefore)
    return places
  }

  /// Calls `body` with the places of hits stored after a row, with the times of the hits and of their receipt.
  func places(after row: Int64, _ body: (ViewPlace, _ time: Int64, _ received: Int64) -> Void) throws {
    let rows = EventScan(connection, spans.filter { $0.ids.upperBound > row }, after: row)
    while let row = try rows.next() {
      guard row.app == app else { continue }
      body(ViewPlace(slot: row.slot, id: row.id), row.time, row.received)
    }
  }

  /// Reads the hits at some places.
  func hits(_ places: ArraySlice<ViewPlace>) throws -> [ViewHit] {
    var hits: [ViewHit] = []
    hits.reserveCapacity(places.count)
    // In the order of storage, so that each span is read once.
    let rows = EventScan(connection, spans)
    for id in places.map(\.id).sorted() {
      if let row = try rows.find(id), let hit = try hit(row, rows) { hits.append(hit) }
    }
    return hits
  }
}
