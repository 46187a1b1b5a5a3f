import Ingest
import RowFiles
import ServerBase
import Warehouse
import WarehouseSQLite

/// Deletes everything of a person, in steps between which batches are stored.
extension Writer {
  /// Begins a deletion, or continues one that a crash interrupted.
  ///
  /// - Parameter identifiers: Those that aliases join with the user who is deleted.
  func beginDeletion(
    of request: PersonDeletionRequest, joined identifiers: [String] = [], app: Int64
  ) throws -> PersonDeletion {
    // Hits in memory would be stored after those on disk are gone.
    try finishHits()
    let deletion = try transact {
      if request.refusesLater { try refusedPersons.add(request.person, app: app) }
      var deletion =
        try PersonDeletion.begun(request.person, app: app, connection)
        ?? PersonDeletion.begin(request.person, app: app, through: lastID, connection)
      try deletion.join(identifiers, connection)
      // A user who is joined with no one is not the install of the same name.
      if request.refusesLater, deletion.identifiers.count > 1 {
        for identifier in deletion.identifiers { try refusedPersons.add(identifier: identifier.text, app: app) }
      }
      return deletion
    }
    forget()
    return deletion
  }

  /// Rewrites a segment without the person's rows.
  func deleteRows(of deletion: PersonDeletion, segment: Int64) throws {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment }
    guard !spans.isEmpty else { return }
    try transact {
      var traces = PersonTraces()
      var lostDays: Set<Int64> = []
      var errors: [Int64] = []
      let pieces = try deletion.pieces(connection)
      let calendar = try calendar(deletion.app)
      try rows.rewrite(spans) { row, scan in
        guard deletion.concerns(row, scan) else { return .keep }
        traces.insert(row, scan)
        traces.days.insert(calendar.day(of: row.time))
        lostDays.insert(flooredQuotient(row.time, 86_400_000))
        if row.flags.kind.mayCarryMore { errors.append(row.id) }
        return .delete
      }
      try deletion.add(traces, connection)
      try noteLost(lostDays, app: deletion.app)
      let deletePieces = try ["attachment_part", "removed_piece"].map {
        try connection.prepare("DELETE FROM \($0) WHERE row = ?")
      }
      for row in pieces where spans.contains(where: { $0.ids.contains(row) }) {
        for delete in deletePieces { try delete.bind(row).run() }
      }
      try deleteErrors(errors, app: deletion.app)
      try renewSessions(of: spans)
    }
    try rows.deleteLeftovers()
  }

  /// Marks hits that begin a session now that an earlier hit is gone.
  func startSessions(at starts: Set<Int64>, of deletion: PersonDeletion, segment: Int64) throws {
    let spans = try StoredSpan.all(connection).filter { $0.segment == segment }
    guard !spans.isEmpty else { return }
    try transact {
      var traces = PersonTraces()
      let calendar = try calendar(deletion.app)
      try rows.rewrite(spans) { row, scan in
        guard starts.contains(row.id) else { return .keep }
        traces.days.insert(calendar.day(of: row.time))
        var row = row
        row.flags = EventRow.Flags(rawValue: row.flags.rawValue | EventRow.Flags.sessionStartBit)
        return .replace(row, Array(scan.properties))
      }
      try deletion.add(traces, connection)
    }
    try rows.deleteLeftovers()
  }

  /// Sets the last hits of installs to those of rows that remain.
  ///
  /// - Returns: What remains, with the rows stored in the meantime.
  func storeLastHits(_ remains: PersonRemains, of deletion: PersonDeletion) throws -> PersonRemains {
    try finishHits()
    var remains = remains
    try remains.read(connection, damage: damage)
    let slots = try deletion.traces(connection).slots
    try transact {
      let delete = try connection.prepare("DELETE FROM hit WHERE app = ? AND slot = ?")
      let store = try connection.prepare("INSERT OR REPLACE INTO hit VALUES (?, ?, ?)")
      for slot in slots {
        if let time = remains.lastHits[slot] {
          try store.bind(deletion.app, Int64(slot), time).run()
        } else {
          try delete.bind(deletion.app, Int64(slot)).run()
        }
      }
    }
    hits.removeAll()
    return remains
  }

  /// Deletes what only the person's rows named, and ends the deletion.
  func finish(_ deletion: PersonDeletion, _ remains: PersonRemains, views: [Int64], job: Int64? = nil) throws {
    var remains = remains
    try remains.read(connection, damage: damage)
    let (unused, app) = (remains.unused, deletion.app)
    try transact {
      let texts = try deleteDevices(unused.devices, app: app).union(unused.texts)
        .subtracting(remains.countedTexts)
      try delete(texts: texts, app: app)
      for name in try deletion.names(unused, connection) {
        try RejectionStore.deleteSamples(of: name, app: app, connection)
      }
      for table in ["install", "ledger", "hit"] {
        let delete = try connection.prepare("DELETE FROM \(table) WHERE app = ? AND slot = ?")
        for slot in unused.slots { try delete.bind(app, Int64(slot)).run() }
      }
      let deleteUser = try connection.prepare("DELETE FROM member WHERE app = ? AND name = ?")
      for user in unused.users { try deleteUser.bind(app, String(decoding: user, as: UTF8.self)).run() }
      try connection.prepare(
        """
        DELETE FROM error_group WHERE app = ?1 AND (kind, key) NOT IN (
          SELECT m.kind, m.key FROM error_group m WHERE m.app = ?1 AND EXISTS (SELECT 1 FROM error WHERE grp = m.id))
        """
      ).bind(app).run()
      // The number stays, since states and links have it.
      try connection.prepare(
        """
        UPDATE error_group SET fingerprint = -id, is_pending = 0, type = '', shown_type = '', place = '', frame = '', message = '',
          signature = ''
        WHERE app = ? AND type <> '' AND NOT EXISTS (SELECT 1 FROM error WHERE grp = error_group.id)
        """
      ).bind(app).run()
      for view in views { try connection.prepare("DELETE FROM view_open_day WHERE view = ?").bind(view).run() }
      for slot in unused.slots {
        try connection.prepare("DELETE FROM quarantine WHERE app = ? AND slot = ?").bind(app, Int64(slot)).run()
      }
      if deletion.user != nil {
        let delete = try connection.prepare("DELETE FROM quarantine WHERE app = ? AND user = ?")
        for name in deletion.identifiers { try delete.bind(app, name.text).run() }
        let deleteAnonymous = try connection.prepare("DELETE FROM quarantine WHERE app = ? AND slot = ? AND user = ''")
        for slot in deletion.joinedSlots { try deleteAnonymous.bind(app, Int64(slot)).run() }
      }
      try deletion.delete(connection)
      if let job { try connection.prepare("INSERT OR IGNORE INTO ended_deletion VALUES (?)").bind(job).run() }
    }
    forget()
  }

  /// True if the deletion of a job has ended, although the job may not be known to be done.
  func hasEnded(job: Int64) throws -> Bool {
    try connection.prepare("SELECT 1 FROM ended_deletion WHERE job = ?").bind(job).exists()
  }

  // MARK: Parts

  /// Deletes devices, and returns the IDs of their texts.
  private func deleteDevices(_ ids: Set<Int64>, app: Int64) throws -> Set<Int64> {
    var ids = ids
    // Errors outlive their rows where rows are kept for a limited time.
    if !ids.isEmpty {
      for id in try connection.prepare("SELECT DISTINCT device FROM error WHERE app = ?").bind(app).all({
        $0.integer(0)
      }) { ids.remove(id) }
    }
    var texts: Set<Int64> = []
    let find = try connection.prepare("SELECT facts FROM device WHERE id = ?")
    let delete = try connection.prepare("DELETE FROM device WHERE id = ?")
    for id in ids {
      try find.bind(id).first { texts.formUnion(WriterDevices.texts($0.bytes(0))) }
      try delete.bind(id).run()
    }
    return texts
  }

  /// Deletes those texts that no device has.
  private func delete(texts: Set<Int64>, app: Int64) throws {
    var texts = texts
    let facts = try connection.prepare("SELECT facts FROM device WHERE app = ?").bind(app)
    while try facts.step() { texts.subtract(WriterDevices.texts(facts.bytes(0))) }
    let delete = try connection.prepare("DELETE FROM dictionary WHERE id = ? AND app = ?")
    for id in texts { try delete.bind(id, app).run() }
  }
}
