import Columns
import Questions
import RowFiles
import TernBase
import TernEvents
import Views
package import Warehouse
package import WarehouseSQLite

/// Does some work on rows once, in a process that exists for this, and changes nothing.
package enum WorkTrial {
  /// Does the work; a trap ends the process. Failures of the work itself don't matter: the server sees them, too.
  ///
  /// - Parameters:
  ///   - rows: The rows that exist for the work; `nil` for none.
  ///   - directory: A data directory on which a server may run.
  /// - Throws: An error if the work can't be tried.
  package static func run(
    _ work: DerivedWork, rows: ClosedRange<Int64>?, directory: String, catalog: any CatalogStore
  ) throws {
    do {
      try attempt(work, rows: rows, directory: directory, catalog: catalog)
    } catch is QuestionError {
    } catch is RowFailure {
    } catch let error as WarehouseError where error.code == .damaged {
    }
  }

  private static func attempt(
    _ work: DerivedWork, rows: ClosedRange<Int64>?, directory: String, catalog: any CatalogStore
  ) throws {
    let files = DataDirectory(path: directory)
    // The server, which holds the lock of the directory, does not count meanwhile.
    func counter() throws -> EventCounter {
      try EventCounter.open(files, catalog: catalog, configuration: WarehouseConfiguration.standard)
    }
    switch work {
    case .counting:
      if let rows { try counter().tryCounting(rows) }
      return
    case .recounting(let app, let days, _):
      if let rows { try counter().tryRecounting(Set(days), app: app, rows) }
      return
    case .columns, .viewDay, .question, .request: break
    }
    let reader = WarehouseReader(
      pool: try WarehouseFile.openReadOnly(files),
      columns: ColumnDirectory(path: files.columnsPath, isWritable: false), catalog: catalog)
    defer { try? reader.close() }
    try reader.read { connection in
      switch work {
      case .counting, .recounting, .request: break
      case .columns: if let rows { try reader.makeColumns(of: rows, connection) }
      case .viewDay(let view, let day, _):
        guard let view = try catalog.views(app: nil).first(where: { $0.id.rawValue == view }) else { return }
        let reading = try ViewReading(view, connection, reader)
        reading.rows = rows ?? 0...0
        let counted = try reading.counted(day)
        _ = (counted.encodedPresent, counted.encodedMetrics)
      case .question(let kind, let json, let app, let today, _):
        guard let kind = Question.Kind(rawValue: kind),
          let zone = try catalog.app(AppID(app))?.zone
        else { return }
        let question = try Question(kind, json: Array(json.utf8))
        _ = try reader.evaluate(
          question, reader.chunks(of: app, in: rows, connection), app: AppID(app), calendar: QuestionCalendar(zone),
          today: Day(number: today), QuestionLimits())
      }
    }
  }
}

extension WarehouseReader {
  /// Returns chunks of some rows of an app: those on disk that have no others, and new ones of the rest.
  fileprivate func chunks(of app: Int64, in rows: ClosedRange<Int64>?, _ connection: SQLConnection) throws -> [Chunk] {
    guard let rows else { return [] }
    var chunks: [Chunk] = []
    var next = rows.lowerBound
    for chunk in try columns.directory.load()[app] ?? []
    where chunk.header.after + 1 >= next && chunk.header.last <= rows.upperBound {
      if chunk.header.after >= next {
        chunks += try self.chunks(of: app, made: next...chunk.header.after, connection)
      }
      if chunk.rows > 0 { chunks.append(chunk) }
      next = chunk.header.last + 1
    }
    if next <= rows.upperBound { chunks += try self.chunks(of: app, made: next...rows.upperBound, connection) }
    return chunks
  }

  /// Makes chunks of some rows of an app.
  private func chunks(of app: Int64, made rows: ClosedRange<Int64>, _ connection: SQLConnection) throws -> [Chunk] {
    let columns = AppColumns(app: app, after: rows.lowerBound - 1)
    try forEachRow(of: rows, connection) { row, scan, source in
      guard row.app == app else { return }
      try source.add(row, scan, to: columns)
      if columns.builder.isFull { columns.endChunk { $0 } }
    }
    return columns.allChunks()
  }

  /// Makes chunks of those rows that no chunk on disk has, as the server does, and forgets each when it is made.
  fileprivate func makeColumns(of rows: ClosedRange<Int64>, _ connection: SQLConnection) throws {
    let chunked = try columns.directory.load().mapValues { $0.last?.header.last ?? 0 }
    var apps: [Int64: AppColumns] = [:]
    try forEachRow(of: rows, connection) { row, scan, source in
      guard row.id > chunked[row.app] ?? 0 else { return }
      let columns = apps[row.app] ?? AppColumns(app: row.app, after: rows.lowerBound - 1)
      apps[row.app] = columns
      try source.add(row, scan, to: columns)
      guard columns.builder.isFull else { return }
      columns.endChunk { $0 }
      columns.dropChunks()
    }
    for columns in apps.values { _ = columns.allChunks() }
  }

  private func forEachRow(
    of rows: ClosedRange<Int64>, _ connection: SQLConnection, _ body: (EventRow, EventScan, ColumnSource) throws -> Void
  ) throws {
    let source = ColumnSource(Locked(try RowLookups(connection, dictionary: dictionary)))
    let scan = try EventScan(connection, ids: rows, damage: DamagedRows())
    while let row = try scan.next() { try body(row, scan, source) }
  }
}
