import Views
import Warehouse

/// Limits on how much of a day is held in memory at once.
struct ViewPortion {
  /// The number of hits in a portion, unless a single user has more.
  var hits = 8_000
  /// The bytes of stored hits held in memory, unless a single user has more; briefly up to twice as many.
  var bytes = 128 << 20
}

/// The place where a hit is stored, and its user.
struct ViewPlace: BitwiseCopyable {
  var slot: UInt32
  var month: Int32
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
    _ times: Range<Int64>, of size: Int = ViewPortion().hits, where isWanted: (Int64, Int64, Int64) -> Bool,
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
    for span in spans(in: times) {
      let statement = try connection.prepare(
        """
        SELECT id, t, lag, slot FROM \(WarehouseSchema.table(span.month))
        WHERE id BETWEEN ? AND ? AND app = ? AND t >= ? AND t < ?
        """)
      statement.bind(span.ids.lowerBound, span.ids.upperBound, app, times.lowerBound, times.upperBound)
      while try statement.step() {
        let (id, time) = (statement.integer(0), statement.integer(1))
        guard isWanted(id, time, time + statement.integer(2)) else { continue }
        places.append(ViewPlace(slot: UInt32(clamping: statement.integer(3)), month: Int32(span.month), id: id))
      }
    }
    places.sort(by: ViewPlace.isBefore)
    return places
  }

  /// Calls `body` with the places of hits stored after a row, with the times of the hits and of their receipt.
  func places(after row: Int64, _ body: (ViewPlace, _ time: Int64, _ received: Int64) -> Void) throws {
    for span in spans where span.ids.upperBound > row {
      let statement = try connection.prepare(
        "SELECT id, t, lag, slot FROM \(WarehouseSchema.table(span.month)) WHERE id BETWEEN ? AND ? AND app = ?")
      statement.bind(max(span.ids.lowerBound, row + 1), span.ids.upperBound, app)
      while try statement.step() {
        let (id, time) = (statement.integer(0), statement.integer(1))
        body(
          ViewPlace(slot: UInt32(clamping: statement.integer(3)), month: Int32(span.month), id: id), time,
          time + statement.integer(2))
      }
    }
  }

  /// Reads the hits at some places.
  func hits(_ places: ArraySlice<ViewPlace>) throws -> [ViewHit] {
    var hits: [ViewHit] = []
    hits.reserveCapacity(places.count)
    // In storage order, so that each page is read once.
    for place in places.sorted(by: { ($0.month, $0.id) < ($1.month, $1.id) }) {
      let month = Int(place.month)
      let statement = try loadHit[month] ?? connection.prepare("\(selectRows(month)) WHERE e.id = ?")
      loadHit[month] = statement
      statement.bind(place.id)
      if try statement.step(), let hit = try hit(statement) { hits.append(hit) }
      statement.reset()
    }
    return hits
  }
}
