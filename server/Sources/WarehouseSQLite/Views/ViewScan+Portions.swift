import Views
import Warehouse

/// How much of a day is held in memory at once.
struct ViewPortion {
  /// Places of hits that are collected before those of later users are put off, 16 bytes each.
  var places = 2_000_000
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
  /// Hands over the wanted hits of a stretch of time in portions: each has all hits of its users, who follow on those of
  /// the portions before, in the order of their slots.
  ///
  /// Rows are looked through for where hits are, then those of some users at a time are read. When there are too many
  /// even for that, the rows are looked through again for later users.
  ///
  /// - Parameters:
  ///   - isWanted: is told row, time of the hit and of its receipt.
  ///   - found: is told where the hits are, in order, before they are read.
  func portions(
    _ times: Range<Int64>, _ size: ViewPortion = ViewPortion(), where isWanted: (Int64, Int64, Int64) -> Bool,
    found: ([ViewPlace]) -> Void = { _ in }, body: ([ViewHit]) throws -> Void
  ) throws {
    var first: UInt32? = 0
    while let slot = first {
      let (places, next) = try places(times, from: slot, most: max(1, size.places), where: isWanted)
      found(places)
      var start = 0
      while start < places.count {
        var end = min(start + max(1, size.hits), places.count)
        while end < places.count, places[end].slot == places[end - 1].slot { end += 1 }
        try body(hits(places[start..<end]))
        start = end
      }
      first = next
    }
  }

  /// The places of wanted hits in order, from a slot on; and the slot from which on they were left out.
  private func places(
    _ times: Range<Int64>, from slot: UInt32, most: Int, where isWanted: (Int64, Int64, Int64) -> Bool
  ) throws -> (places: [ViewPlace], next: UInt32?) {
    var places: [ViewPlace] = []
    var next: UInt32?
    var capacity = 2 * most
    for span in spans {
      if let known = span.times, known.lowerBound >= times.upperBound || known.upperBound < times.lowerBound {
        continue
      }
      let statement = try connection.prepare(
        """
        SELECT id, t, lag, slot FROM \(WarehouseSchema.table(span.month))
        WHERE id BETWEEN ? AND ? AND app = ? AND t >= ? AND t < ? AND slot >= ?
        """)
      statement.bind(
        span.ids.lowerBound, span.ids.upperBound, app, times.lowerBound, times.upperBound, Int64(slot))
      while try statement.step() {
        let (id, time) = (statement.integer(0), statement.integer(1))
        let owner = UInt32(clamping: statement.integer(3))
        guard owner < next ?? .max, isWanted(id, time, time + statement.integer(2)) else { continue }
        places.append(ViewPlace(slot: owner, month: Int32(span.month), id: id))
        if places.count >= capacity {
          next = Self.cut(&places, to: most) ?? next
          capacity = max(capacity, 2 * places.count)
        }
      }
    }
    places.sort(by: ViewPlace.isBefore)
    return (places, next)
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

  /// Leaves the users with the smallest slots, at least one; returns the first slot that was left out, if any was.
  private static func cut(_ places: inout [ViewPlace], to most: Int) -> UInt32? {
    places.sort(by: ViewPlace.isBefore)
    let limit = places[most].slot
    let end =
      limit > places[0].slot
      ? places.firstIndex { $0.slot >= limit } : places.firstIndex { $0.slot > limit }
    guard let end else { return nil }
    defer { places.removeSubrange(end...) }
    return places[end].slot
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
