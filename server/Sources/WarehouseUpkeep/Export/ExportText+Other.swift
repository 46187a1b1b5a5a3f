import Foundation
import TernEvents
import Warehouse
import WarehouseSQLite

/// The contents of an export other than rows.
extension ExportText {
  /// Adds the pieces of the next attachment; returns its number, or `nil` if there is none.
  mutating func addAttachment(after last: Int64) throws -> Int64? {
    let app = request.app.id.rawValue
    let find = try connection.prepare(
      """
      SELECT a.id, a.error, a.name, a.file, a.type, a.parts, a.received, e.t, e.slot, e.user
      FROM attachment a LEFT JOIN error e ON e.id = a.owner WHERE a.app = ? AND a.id > ? ORDER BY a.id
      """
    ).bind(app, last)
    defer { find.reset() }
    while try find.step() {
      let hasError = !find.isNull(7)
      let time = hasError ? find.integer(7) : find.integer(6)
      if let times, !times.contains(time) { continue }
      if request.person != nil {
        guard hasError, try isOfPerson(slot: find.integer(8), user: find.text(9)) else { continue }
      }
      let id = find.integer(0)
      let parts = try connection.prepare("SELECT part, data FROM attachment_part WHERE attachment = ? ORDER BY part")
      parts.bind(id)
      while try parts.step() {
        json.raw("{\"attachment\":{\"number\":")
        json.integer(id)
        member(",\"error\":", find.text(1))
        member(",\"id\":", find.text(2))
        member(",\"name\":", find.text(3))
        member(",\"contentType\":", find.text(4))
        json.raw(",\"received\":")
        json.integer(find.integer(6))
        json.raw(",\"part\":")
        json.integer(parts.integer(0))
        json.raw(",\"parts\":")
        json.integer(find.integer(5))
        member(",\"data\":", Data(parts.bytes(1)).base64EncodedString())
        json.raw("}}\n")
      }
      return id
    }
    return nil
  }

  /// Adds the counts and samples of rejected events.
  mutating func addRejections() throws {
    let app = request.app.id.rawValue
    let counts = try connection.prepare("SELECT day, protocol, reason, n FROM reject WHERE app = ?").bind(app)
    while try counts.step() {
      json.raw("{\"rejected\":{\"day\":")
      json.integer(counts.integer(0))
      member(",\"protocol\":", counts.text(1))
      member(",\"reason\":", counts.text(2))
      json.raw(",\"count\":")
      json.integer(counts.integer(3))
      json.raw("}}\n")
    }
    let samples = try connection.prepare(
      "SELECT received, protocol, position, event, reason, message FROM reject_sample WHERE app = ? ORDER BY id"
    ).bind(app)
    while try samples.step() {
      json.raw("{\"rejection\":{\"received\":")
      json.integer(samples.integer(0))
      member(",\"protocol\":", samples.text(1))
      json.raw(",\"position\":")
      json.integer(samples.integer(2))
      member(",\"event\":", samples.text(3))
      member(",\"reason\":", samples.text(4))
      member(",\"message\":", samples.text(5))
      json.raw("}}\n")
    }
  }

  /// Adds the devices' own counts of some installs; returns the last one's number, or `nil` at the end.
  mutating func addLedgers(after last: Int64, limit: Int64) throws -> Int64? {
    let ledgers = try connection.prepare(
      """
      SELECT slot, received, tracked, delivered, waiting, in_flight, dropped FROM ledger
      WHERE app = ? AND slot > ? ORDER BY slot LIMIT ?
      """
    ).bind(request.app.id.rawValue, last, limit)
    var latest: Int64?
    while try ledgers.step() {
      latest = ledgers.integer(0)
      json.raw("{\"ledger\":{\"install\":")
      json.raw(try install(UInt32(clamping: ledgers.integer(0))))
      let names: [(StaticString, Int32)] = [
        (",\"received\":", 1), (",\"tracked\":", 2), (",\"delivered\":", 3), (",\"waiting\":", 4),
        (",\"inFlight\":", 5), (",\"dropped\":", 6),
      ]
      for (name, column) in names {
        json.raw(name)
        json.integer(ledgers.integer(column))
      }
      json.raw("}}\n")
    }
    return latest
  }
}
