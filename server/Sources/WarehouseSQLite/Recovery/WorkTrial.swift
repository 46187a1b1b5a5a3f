import Columns
import Questions
import TernBase
import TernEvents
import Views
public import Warehouse

/// Does some work on rows once, in a process that exists for this, and changes nothing.
public enum WorkTrial {
  /// Does the work; a trap ends the process.
  ///
  /// - Parameters:
  ///   - rows: The rows that exist for the work; `nil` for none.
  ///   - directory: A data directory on which a server may run.
  /// - Throws: An error if the work fails without a trap, or can't be done.
  public static func run(
    _ work: DerivedWork, rows: ClosedRange<Int64>?, directory: String, catalog: any CatalogStore
  ) throws {
    let files = DataDirectory(path: directory)
    if case .counting = work {
      // The server, which holds the lock of the directory, does not count meanwhile.
      let counter = try WarehouseFile.openCounter(files, catalog: catalog, configuration: WarehouseConfiguration())
      if let rows { try counter.tryCounting(rows) }
      return
    }
    let reader = WarehouseReader(
      pool: try WarehouseFile.openReadOnly(files),
      columns: ColumnDirectory(path: files.columnsPath, isWritable: false), catalog: catalog)
    defer { try? reader.close() }
    try reader.read { connection in
      switch work {
      case .counting, .request: break
      case .columns: _ = try reader.chunks(of: nil, made: rows, connection)
      case .viewDay(let view, let day, _):
        guard let view = try catalog.views(app: nil).first(where: { $0.id.rawValue == view }) else { return }
        let reading = try ViewReading(view, connection, reader)
        reading.rows = rows ?? 0...0
        let counted = try reading.counted(day)
        _ = (counted.encodedPresent, counted.encodedMetrics)
      case .question(let kind, let json, let app, let today, _):
        guard let kind = Question.Kind(rawValue: kind),
          let zone = try catalog.app(AppID(app))?.timeZone, let calendar = QuestionCalendar(zone)
        else { return }
        let question = try Question(kind, json: Array(json.utf8))
        _ = try reader.evaluate(
          question, reader.chunks(of: app, in: rows, connection), app: AppID(app), calendar: calendar,
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
      chunks.append(chunk)
      next = chunk.header.last + 1
    }
    if next <= rows.upperBound { chunks += try self.chunks(of: app, made: next...rows.upperBound, connection) }
    return chunks
  }

  /// Makes chunks of some rows of an app, or of each app.
  fileprivate func chunks(
    of app: Int64?, made rows: ClosedRange<Int64>?, _ connection: SQLConnection
  ) throws -> [Chunk] {
    guard let rows else { return [] }
    let source = ColumnSource(Locked(try RowLookups(connection, dictionary: dictionary)))
    let scan = try EventScan(connection, ids: rows, damage: DamagedRows())
    var apps: [Int64: AppColumns] = [:]
    while let row = try scan.next() {
      guard app.map({ $0 == row.app }) ?? true else { continue }
      let columns = apps[row.app] ?? AppColumns(app: row.app, after: rows.lowerBound - 1)
      apps[row.app] = columns
      try source.add(row, scan, to: columns)
      if columns.builder.isFull { columns.endChunk { $0 } }
    }
    return apps.values.flatMap { $0.allChunks() }
  }
}
