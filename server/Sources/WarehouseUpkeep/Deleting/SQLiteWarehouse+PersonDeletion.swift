import Ingest
import RowFiles
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// Deletes everything of a person in an app, and returns the space to the disk. The figures of every day are then those
  /// of a warehouse that never saw the person; only sealed days of views keep theirs.
  ///
  /// Events that the person sends after this has begun are stored as those of a new person, unless they must be refused. If
  /// the process is killed, call it again.
  ///
  /// - Parameter job: The job whose work this is. Doing it again deletes nothing that was stored since, until
  ///   ``forgetDeletion(ofJob:)``.
  package func delete(_ request: PersonDeletionRequest, app: AppID, views: [ViewID], job: Int64? = nil) async throws {
    if let job, try await perform({ try $0.hasEnded(job: job) }) { return try await returnSpace() }
    let joined = try await identifiers(joinedWith: request.person, app: app)
    let deletion = try await perform { try $0.beginDeletion(of: request, joined: joined, app: app.rawValue) }
    try await deleteRows(of: deletion)
    var remains = try await remains(of: deletion)
    if deletion.user != nil {
      remains = try await perform { [remains] in try $0.storeLastHits(remains, of: deletion) }
      try await startSessions(at: remains.sessionStarts, of: deletion)
    }
    try await recount(deletion)
    // Done before the deletion ends, because no later step looks for them.
    try await forgetLostRows()
    try await perform { [remains] in try $0.finish(deletion, remains, views: views.map(\.rawValue), job: job) }
    reader.viewDays.forget(app: app)
    reader.updateColumns()
    try await returnSpace()
  }

  /// Returns the identifiers that aliases join with a user, also if their deletion has begun.
  package func identifiers(joinedWith person: Person, app: AppID) async throws -> [String] {
    guard case .user(let name) = person else { return [] }
    let reader = reader
    return try await reader.reading { connection in
      // Columns can't be made of rows whose users are forgotten.
      if let begun = try PersonDeletion.begun(person, app: app.rawValue, connection) {
        return begun.identifiers.map(\.text)
      }
      return try reader.identifiers(ofUser: name, app: app, connection) ?? []
    }
  }

  /// Must be called once a job is known to be done.
  package func forgetDeletion(ofJob job: Int64) async throws {
    try await perform { try $0.connection.prepare("DELETE FROM ended_deletion WHERE job = ?").bind(job).run() }
  }

  /// Deletes the person's rows.
  func deleteRows(of deletion: PersonDeletion) async throws {
    let pieces = try await reader.reading { try deletion.pieces($0) }
    try await rewrite(of: deletion, where: { deletion.concerns($0, $1) || pieces.contains($0.id) }) {
      try $0.deleteRows(of: deletion, segment: $1)
    }
  }

  func startSessions(at starts: Set<Int64>, of deletion: PersonDeletion) async throws {
    guard !starts.isEmpty else { return }
    try await rewrite(of: deletion, where: { row, _ in starts.contains(row.id) }) {
      try $0.startSessions(at: starts, of: deletion, segment: $1)
    }
  }

  /// Rewrites the segments with rows that meet a condition, one by one.
  ///
  /// - Throws: A `WarehouseError` with code `rowsAway`, after all other segments, if some segments must wait for the cluster.
  private func rewrite(
    of deletion: PersonDeletion, where isMeant: @escaping @Sendable (EventRow, EventScan) -> Bool,
    _ body: @escaping @Sendable (Writer, Int64) throws -> Void
  ) async throws {
    let app = deletion.app
    let segments = try await reader.reading { connection in
      Dictionary(grouping: try StoredSpan.all(connection).filter { $0.apps.contains(app) }, by: \.segment)
        .values.compactMap { $0.first?.ids.lowerBound }.sorted()
    }
    let away = try await forEachSegment(of: segments) { first in
      guard try await hasRows(inSegmentOf: first, app: app, where: isMeant) else { return }
      _ = try await rewriting(rows: [first]) { try body($0, $1[0]) }
    }
    if let away { throw away }
  }

  /// Reads what remains after the deletion of rows.
  func remains(of deletion: PersonDeletion) async throws -> PersonRemains {
    let catalog = reader.catalog
    return try await reader.reading { connection in
      var remains = PersonRemains(try deletion.traces(connection), app: deletion.app)
      let horizons = try Horizons(connection)
      if let day = horizons.lastKeptDay(deletion.app, try catalog.calendar(AppID(deletion.app))) {
        try remains.readCounts(connection, lastDay: day)
      }
      try remains.read(connection, damage: DamagedRows())
      return remains
    }
  }

  /// Counts the days again that lost rows, also those that were set aside: the deletion removes the record of them.
  func recount(_ deletion: PersonDeletion) async throws {
    let days = try await reader.reading { connection in
      try QuarantinedRow.uncounted(connection).filter { $0.app == deletion.app }
        .reduce(into: deletion.traces(connection).days) { $0.formUnion($1.days) }
    }
    try await recount(days.sorted(), app: deletion.app)
  }
}

extension WarehouseReader {
  /// Returns true if the app has data of a person, or if their deletion has begun.
  package func has(_ person: Person, app: AppID) async throws -> Bool {
    try await reading { [self] connection in
      if try PersonDeletion.begun(person, app: app.rawValue, connection) != nil { return true }
      switch person {
      case .install(let name):
        if try RejectionStore.hasSample(of: name, app: app.rawValue, connection) { return true }
        return try WriterInstalls.storedSlot(app: app.rawValue, install: name, connection) != nil
      case .user(let name):
        if try RejectionStore.hasSample(of: name, app: app.rawValue, connection) { return true }
        let find = try connection.prepare("SELECT 1 FROM member WHERE app = ? AND name = ?")
        if try find.bind(app.rawValue, name).exists() { return true }
        return try identifiers(ofUser: name, app: app, connection) != nil
      }
    }
  }
}
