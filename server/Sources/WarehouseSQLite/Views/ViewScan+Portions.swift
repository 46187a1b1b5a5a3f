import Views
import Warehouse

/// How much of a day is held in memory at once.
struct ViewPortion {
  /// Hits that are handed over together, unless one user has more.
  var hits = 8_000
  /// Bytes of stored hits that are held at once, unless one user has more; up to twice as many for a moment.
  var bytes = 128 << 20
}

/// Where a hit is stored, and whose it is.
struct ViewPlace: BitwiseCopyable {
  var slot: UInt32
  var month: Int32
  var id: Int64

  static func isBefore(_ left: ViewPlace, _ right: ViewPlace) -> Bool {
    (left.slot, left.id) < (right.slot, right.id)
  }
}

extension ViewScan {
  /// Hands over the wanted hits of a span of time in portions: each has all hits of its users, whose slots are larger
  /// than those of the portions before.
  ///
  /// - Parameter isWanted: receives row, time of the hit and of its receipt.
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

  /// The places of wanted hits in order; see ``portions(_:of:where:body:)``.
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

  /// Where the hits are that were stored behind a row, with their times and those of their receipt.
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

  /// The hits of some places.
  func hits(_ places: ArraySlice<ViewPlace>) throws -> [ViewHit] {
    var hits: [ViewHit] = []
    hits.reserveCapacity(places.count)
    // In the order in which they lie, so that each page is read once.
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
