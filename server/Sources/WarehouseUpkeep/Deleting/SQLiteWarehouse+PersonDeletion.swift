import Ingest
import RowFiles
import TernBase
package import Warehouse
import WarehouseSQLite

extension SQLiteWarehouse {
  /// Deletes everything of a person in an app, and returns the space to the disk. The figures of every day are then those
  /// of a warehouse that never saw the person; only sealed days of views keep theirs.
  ///
  /// Events that the person sends after this has begun are stored as those of a new person, unless they must be refused. If
  /// the process is killed, call it again, also after an error: what could be deleted is, and the rest goes on from there.
  ///
  /// - Parameters:
  ///   - known: The ``identifiers(joinedWith:app:)`` of the person, if they were just read.
  ///   - job: The job whose work this is. Doing it again deletes nothing that was stored since, until
  ///     ``forgetDeletion(ofJob:)``.
  /// - Throws: A `WarehouseError` with code `rowsAway` if rows of the app must wait for the cluster, and with `damaged` if some can't
  ///   be read: they may be the person's.
  package func delete(
    _ request: PersonDeletionRequest, identifiers known: [String]? = nil, app: AppID, views: [ViewID], job: Int64? = nil
  ) async throws {
    if let job, try await perform({ try $0.hasEnded(job: job) }) { return try await returnSpace() }
    var joined = known ?? []
    if known == nil { joined = try await identifiers(joinedWith: request.person, app: app) }
    let deletion = try await perform { [joined] in try $0.beginDeletion(of: request, joined: joined, app: app.rawValue)
    }
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

  /// Returns all identifiers of a user, whom aliases join with others. It reads rows, not columns, which can't be made while the
  /// user of a row is forgotten.
  ///
  /// Rows that can't be read now are left out. A deletion needs them as well, and then knows their aliases, too.
  package func identifiers(joinedWith person: Person, app: AppID) async throws -> [String] {
    guard case .user(let name) = person else { return [] }
    let number = app.rawValue
    let (begun, names) = try await reader.reading { connection in
      (
        try PersonDeletion.begun(person, app: number, connection),
        try PersonDeletion.aliasNames(app: number, connection)
      )
    }
    // Later aliases are those of a new person.
    let through = begun?.through ?? .max
    let joined = Locked(JoinedIdentifiers())
    _ = try await forEachSegment(of: segments(ofApp: number)) { first in
      _ = try await hasRows(inSegmentOf: first, app: number, readsAll: true) { row, scan in
        if row.id <= through, let identifier = scan.alias(of: row, isAlias: names.contains) {
          joined.withLock { $0.join(scan.user, identifier) }
        }
        return false
      }
    }
    let known = begun?.identifiers ?? [ExactText(name)]
    return joined.withLock { joined in
      known.union(known.flatMap { joined.identifiers(with: $0.text) ?? [] }.map(ExactText.init)).map(\.text)
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
  /// - Throws: A `WarehouseError` with code `rowsAway` or `damaged`, after all other segments, if some segments must wait for the
  ///   cluster or can't be read.
  private func rewrite(
    of deletion: PersonDeletion, where isMeant: @escaping @Sendable (EventRow, EventScan) -> Bool,
    _ body: @escaping @Sendable (Writer, Int64) throws -> Void
  ) async throws {
    let app = deletion.app
    let away = try await forEachSegment(of: segments(ofApp: app)) { first in
      guard try await hasRows(inSegmentOf: first, app: app, where: isMeant) else { return }
      _ = try await rewriting(rows: [first]) { try body($0, $1[0]) }
    }
    if let away { throw away }
  }

  /// Returns the first row of each segment with rows of an app, in order.
  func segments(ofApp app: Int64) async throws -> [Int64] {
    try await reader.reading { connection in
      let spans = try StoredSpan.all(connection).filter { $0.apps.contains(app) && !$0.bytes.isEmpty }
      return Dictionary(grouping: spans, by: \.segment).values.compactMap { $0.first?.ids.lowerBound }.sorted()
    }
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
