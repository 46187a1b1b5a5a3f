import Columns
import TernBase
import Views
import Warehouse

/// The columns of all apps, kept up to date with the rows by those who read them.
final class ColumnStore: Sendable {
  /// `@unchecked Sendable` because it is used only while the lock is held.
  private final class State: @unchecked Sendable {
    var apps: [Int64: AppColumns] = [:]
    /// The last row that is in the columns.
    var through: Int64 = 0
  }

  /// The number of rows between two looks at whether the reader still waits.
  private static let stepRows: Int64 = 65_536
  private let state = Locked(State())

  /// Returns the chunks of an app with all rows that the connection's transaction sees.
  func chunks(
    app: Int64, _ connection: SQLConnection, dictionary: ReaderDictionary, checkCancellation: () throws -> Void
  ) throws -> [Chunk] {
    try state.withLock { state in
      do {
        try Self.update(state, connection, dictionary, checkCancellation)
      } catch let error as WarehouseError {
        // A row may have been added in part.
        state.apps = [:]
        state.through = 0
        throw error
      }
      return state.apps[app]?.allChunks() ?? []
    }
  }

  /// Drops the columns of an app whose rows have been deleted.
  func forget(app: Int64) { state.withLock { $0.apps[app] = nil } }

  private static func update(
    _ state: State, _ connection: SQLConnection, _ dictionary: ReaderDictionary, _ checkCancellation: () throws -> Void
  ) throws {
    let source = try ColumnSource(connection, dictionary: dictionary)
    let scan = try EventScan(connection, after: state.through)
    while let row = try scan.next() {
      if row.id & (stepRows - 1) == 0 { try checkCancellation() }
      let columns = state.apps[row.app] ?? AppColumns(app: row.app)
      state.apps[row.app] = columns
      try source.add(row, scan, to: columns)
      if columns.builder.isFull { columns.endChunk() }
      state.through = row.id
    }
  }
}
