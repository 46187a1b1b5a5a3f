package import Ingest
import RowFiles
import ServerBase
import TernBase
import TernEvents
import Warehouse

/// The rejected events: counts by app, day, protocol and reason, and the first few of each as samples.
///
/// They are counted in the transaction of the batch, because nothing else on disk records a rejection.
package final class RejectionStore {
  /// The number of samples kept per app, day, protocol and reason.
  private static let samples: SaturatingInt64 = 10
  private static let maximumBytes = 512
  private let add: SQLStatement
  private let sample: SQLStatement

  init(_ connection: SQLConnection) throws {
    add = try connection.prepare(
      "INSERT INTO reject VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n RETURNING n")
    sample = try connection.prepare(
      """
      INSERT INTO reject_sample (app, received, position, protocol, event, reason, message)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
  }

  package func add(_ batch: IncomingBatch, app: Int64, day: Int) throws {
    var byReason: [String: [Rejection]] = [:]
    for rejection in batch.rejections { byReason[rejection.reason, default: []].append(rejection) }
    for (reason, rejections) in byReason.sorted(by: { $0.key < $1.key }) {
      let before = try add(reason, rejections.count, batch.source, app: app, day: day)
      for rejection in rejections.prefix(Int(clamping: max(0, Self.samples - before).rawValue)) {
        try sample.bind(
          app, batch.received.millisecondsSince1970, Int64(rejection.index), batch.source.rawValue,
          truncated(rejection.id),
          truncated(reason), truncated(rejection.message)
        ).run()
      }
    }
  }

  /// Counts events that were not read.
  package func add(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: Int64, day: Int) throws {
    _ = try add(reason.rawValue, count, source, app: app, day: day)
  }

  /// Counts a row that was set aside.
  package func add(quarantined row: Int64, work: String, source: IngestProtocol, app: Int64, received: Int64, day: Int)
    throws
  {
    let reason = RejectionReason.quarantined.rawValue
    let before = try add(reason, 1, source, app: app, day: day)
    guard before < Self.samples else { return }
    try sample.bind(
      app, received, Int64(0), source.rawValue, "event \(row)", reason, truncated("The server failed while \(work).")
    ).run()
  }

  // MARK: Persons

  /// Returns true if a sample of an app has a person's name.
  package static func hasSample(of name: String, app: Int64, _ connection: SQLConnection) throws -> Bool {
    try bind(name, app, try connection.prepare("SELECT 1 FROM reject_sample WHERE \(naming)")).exists()
  }

  /// Deletes the samples of an app that have a person's name; the counts stay.
  package static func deleteSamples(of name: String, app: Int64, _ connection: SQLConnection) throws {
    try bind(name, app, try connection.prepare("DELETE FROM reject_sample WHERE \(naming)")).run()
  }

  /// The name as it is, or as in the query of an address.
  private static let naming =
    "app = ?1 AND (instr(lower(event || ' ' || message), lower(?2)) OR instr(lower(event), lower(?3)))"

  private static func bind(_ name: String, _ app: Int64, _ statement: SQLStatement) -> SQLStatement {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    let escaped = name.utf8.map { byte in
      plain.contains(byte)
        ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return statement.bind(app, name, escaped.joined())
  }

  /// Adds to a count and returns its previous value.
  private func add(_ reason: String, _ count: Int, _ source: IngestProtocol, app: Int64, day: Int) throws
    -> SaturatingInt64
  {
    add.bind(app, Int64(day), source.rawValue, truncated(reason), Int64(count))
    let after = try add.step() ? add.number(0) : SaturatingInt64(count)
    // The change takes effect only when the statement runs to its end.
    while try add.step() {}
    return after - SaturatingInt64(count)
  }

  private func truncated(_ text: String) -> String {
    withUTF8(text) { String(decoding: prefix($0, atMost: Self.maximumBytes), as: UTF8.self) }
  }
}
