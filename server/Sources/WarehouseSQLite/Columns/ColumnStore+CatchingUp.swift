import Columns
import RowFiles
import TernBase
import Warehouse

/// Apps whose columns were lost after rows had left home.
extension ColumnStore {
  /// Adds the rows that an app lacks, one span after the other. Nothing is locked while rows are fetched, so other apps don't
  /// wait for the cluster.
  ///
  /// - Throws: A ``WarehouseError`` with the code `rowsAway` if they can't be fetched. What was added before stays.
  func catchUp(
    _ app: Int64, _ connection: SQLConnection, _ dictionary: ReaderDictionary, _ checkCancellation: () throws -> Void
  ) throws {
    let last = try StoredSpan.lastRow(connection)
    guard var known = state.withLock({ $0.behind.contains(app) ? $0.apps[app]?.last ?? 0 : nil }) else { return }
    let source = ColumnSource(Locked(try RowLookups(connection, dictionary: dictionary)))
    let rows = RetiredRowCache.of(connection.rowsPath)
    for span in try StoredSpan.all(connection, after: known, through: last) where span.apps.contains(app) {
      try checkCancellation()
      let pinned = try rows.pin(span.segment)
      defer { rows.unpin(pinned) }
      let added: Int64? = try state.withLock { state in
        // Another thread may have done the same meanwhile, or all columns have been loaded again.
        guard state.isLoaded, state.behind.contains(app), state.apps[app]?.last ?? 0 >= known else { return nil }
        do {
          return try journal.perform(.columns(rows: span.ids)) { try add(span, of: app, state, source, connection) }
        } catch {
          // A row may have been added in part.
          state.isLoaded = false
          throw error
        }
      }
      guard let added else { return }
      known = added
    }
    state.withLock { state in
      guard state.isLoaded, state.apps[app]?.last ?? 0 >= known, state.behind.remove(app) != nil else { return }
      // Otherwise the next start would fetch them again.
      if let columns = state.apps[app], columns.chunked < last {
        columns.endChunk(through: max(last, columns.last), directory.store)
      }
      // Rows that others have seen meanwhile are added from here.
      state.through = min(state.through, last)
    }
  }

  /// Adds the rows of an app in a span that it hasn't yet; returns its last one.
  private func add(
    _ span: StoredSpan, of app: Int64, _ state: State, _ source: ColumnSource, _ connection: SQLConnection
  ) throws -> Int64 {
    let columns = state.apps[app] ?? AppColumns(app: app)
    state.apps[app] = columns
    let found = DamagedRows()
    let scan = EventScan(connection, [span], after: columns.last, damage: found)
    while let row = try scan.next() {
      guard row.app == app else { continue }
      try Self.add(row, scan, source, to: columns)
      if isFull(columns) { columns.endChunk(directory.store) }
    }
    if scan.hasDamage {
      try Self.checkPlaces(connection)
      damage.note(found)
    }
    return columns.last
  }
}
