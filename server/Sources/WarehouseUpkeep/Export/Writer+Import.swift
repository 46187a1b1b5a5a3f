import Ingest
import RowFiles
import ServerBase
import TernBase
import TernEvents
import Warehouse
import WarehouseSQLite

extension Writer {
  /// Stores lines of an export in one transaction.
  func store(imported lines: ImportedPart, app: AppID) throws -> ImportSummary {
    // Not at the old time of receipt, or the keys of old rows would expire at once, and a second import count them twice.
    duplicates.arrived(at: configuration.now().millisecondsSince1970)
    let summary = try transactWithKeys {
      var summary = ImportSummary()
      for batch in lines.batches {
        let receipt = try store(batch, app: app)
        summary.rows += receipt.accepted
        summary.duplicates += receipt.duplicates.count
      }
      for attachment in lines.attachments {
        let piece = IncomingAttachment(
          event: 0, eventID: "", error: attachment.error, id: attachment.id, name: attachment.name,
          contentType: attachment.contentType, part: attachment.part, parts: attachment.parts,
          data: try ImportedRow.bytes(attachment.data))
        if try errors.add(piece, app: app.rawValue, row: 0, received: TimeBounds.clamp(attachment.received)) == nil {
          summary.attachments += 1
        }
      }
      try store(rejected: lines, app: app.rawValue)
      let refused = try refusedPersons.check(app: app.rawValue)
      for ledger in lines.ledgers where !(refused?.contains(install: ledger.install) ?? false) {
        let day = try calendar(app.rawValue).day(of: ledger.received)
        try ledgers.add(
          DeviceLedger(
            tracked: SaturatingInt64(ledger.tracked), delivered: SaturatingInt64(ledger.delivered),
            waiting: SaturatingInt64(ledger.waiting), inFlight: SaturatingInt64(ledger.inFlight),
            dropped: SaturatingInt64(ledger.dropped)), app: app.rawValue,
          slot: try installs.slot(app: app.rawValue, install: ledger.install, day: day),
          received: TimeBounds.clamp(ledger.received))
      }
      try installs.storeCounts()
      try users.storeCounts()
      try storeHitsIfDue()
      return summary
    }
    duplicates.committed(throughRow: lastID)
    return summary
  }

  /// Rejections have no keys; the larger counts win, so that importing them twice changes nothing.
  private func store(rejected lines: ImportedPart, app: Int64) throws {
    for rejected in lines.rejected {
      try connection.prepare(
        "INSERT INTO reject VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = max(n, excluded.n)"
      ).bind(app, rejected.day, rejected.protocol, rejected.reason, rejected.count).run()
    }
    for (sample, ordinal) in lines.rejections {
      try connection.prepare(
        """
        INSERT INTO reject_sample (app, received, protocol, position, event, reason, message)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?8 > (
          SELECT count(*) FROM reject_sample WHERE app = ?1 AND received = ?2 AND protocol = ?3 AND position = ?4
            AND event = ?5 AND reason = ?6 AND message = ?7)
        """
      ).bind(
        app, sample.received, sample.protocol, sample.position, sample.event, sample.reason, sample.message, ordinal
      ).run()
    }
  }
}
