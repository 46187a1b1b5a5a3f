import Views
import Warehouse

extension ViewReading {
  /// Returns the last row that a day may count: `.max` if it is not sealed.
  package func sealRow(_ day: Int) throws -> Int64 { try sealRows.get()[day] ?? .max }

  func loadSealRows() throws -> [Int: Int64] {
    let statement = try connection.prepare(kept: "SELECT day, row FROM view_day WHERE view = ?")
    statement.bind(view.id.rawValue)
    var rows: [Int: Int64] = [:]
    while try statement.step() { rows[statement.day(0)] = statement.integer(1) }
    return rows
  }

  /// Calls `body` with the hits that arrived too late for their day. For all other hits, only the times are read.
  func eachLate(_ day: Int, _ body: (ViewHit) throws -> Void) throws {
    guard let bounds = calendar.bounds(of: day) else { return }
    let row = try sealRow(day)
    try scan.portions(bounds) { id, time, received in
      calendar.day(of: time) == day && (id > row || !calendar.counts(time: time, received: received))
    } body: { hits in
      for hit in hits { try body(hit) }
    }
  }
}
