import DataFiles
import RowFiles
import TernEvents
import Warehouse
import WarehouseSQLite

/// Fills the directory of a backup.
struct BackupWriter {
  private let files: DataDirectory
  private let target: String
  /// The backup before, and its files by path.
  private let previous: (path: String, files: [String: BackupManifest.File])?
  private let now: Timestamp
  private let onStep: (Backup.Step) throws -> Void
  private let link: (_ source: String, _ path: String) -> String?
  private let catalog: SQLDatabase
  private let warehouse: SQLDatabase
  /// The counts; `nil` if there are none, so that the first start on the copy counts the events.
  private let counts: SQLDatabase?

  /// Begins to see one moment of all databases.
  ///
  /// - Parameter link: Gives a file a second name; returns the reason if the file system can't.
  init(
    _ files: DataDirectory, _ target: String, previous: String?, now: Timestamp,
    link: @escaping (_ source: String, _ path: String) -> String?,
    onStep: @escaping (Backup.Step) throws -> Void
  ) throws {
    self.link = link
    self.files = files
    self.target = target
    self.now = now
    self.onStep = onStep
    // An earlier backup only saves space; without it, everything is copied.
    self.previous = previous.flatMap { path in
      (try? BackupManifest(readingFrom: path)).map { (path, $0.filesByPath) }
    }
    catalog = try SQLDatabase(files.catalogPath)
    warehouse = try SQLDatabase(files.warehousePath)
    counts = files.isEmpty(files.countsPath) ? nil : try SQLDatabase(files.countsPath)
    // While nothing can be written to the catalog, both connections begin to see the moment at which the warehouse's
    // does: an app is in neither copy or in both.
    let gate = try SQLDatabase(files.catalogPath, isReadOnly: false)
    try gate.execute("BEGIN IMMEDIATE")
    // The counts first: they must not include events that the copy of the warehouse lacks.
    try counts?.begin()
    try warehouse.begin()
    try catalog.begin()
    try gate.execute("ROLLBACK")
  }

  func run() throws -> Backup.Summary {
    try onStep(.began)
    var databases = [(catalog, "catalog.sqlite"), (warehouse, "warehouse.sqlite")]
    if let counts { databases.append((counts, "counts.sqlite")) }
    for (database, name) in databases {
      try database.copy(to: "\(target)/\(name)") { try onStep(.database) }
    }
    let copies = try copySegments() + copySymbols()
    let linkedBytes = copies.reduce(0) { $0 + ($1.isLinked ? $1.file.bytes : 0) }
    let damaged = copies.filter(\.wasDamaged).compactMap { copy in previous.map { "\($0.path)/\(copy.file.path)" } }
    try Self.verify(target) { try onStep(.segment) }
    // After the verification, which opens the copies and may update their headers.
    for (_, name) in databases { try StoredFile.sync(file: "\(target)/\(name)") }
    let copied = try databases.map { try described($0.1) } + copies.map(\.file)
    let events = try StoredSpan.all(warehouse.connection).reduce(0) { $0 + $1.rows }
    var manifest = BackupManifest(created: now, events: events, files: copied)
    let retired = try RetiredTable.rows(warehouse.connection)
    manifest.retiredEvents = retired == 0 ? nil : retired
    try StoredFile.sync(directory: target + "/rows")
    try onStep(.verified)
    try manifest.write(to: target)
    let bytes = copied.reduce(0) { $0 + $1.bytes }
    return Backup.Summary(
      created: now, events: events, bytes: bytes, copiedBytes: bytes - linkedBytes, retiredEvents: retired,
      damagedBefore: damaged, linkFailure: copies.lazy.compactMap(\.linkFailure).first)
  }

  private func described(_ name: String) throws -> BackupManifest.File {
    let path = "\(target)/\(name)"
    let bytes = try CopiedFile.size(path)
    return BackupManifest.File(path: name, bytes: bytes, check: try CopiedFile.check(path, bytes: bytes))
  }

  /// Copies the rows that the snapshot of the warehouse lists. Rows after those are left out.
  private func copySegments() throws -> [Copy] {
    try StoredFile.createDirectory(target + "/rows")
    var ends: [Int64: Int] = [:]
    let retired = try RetiredTable.segments(warehouse.connection)
    for span in try StoredSpan.all(warehouse.connection)
    where !span.bytes.isEmpty && !retired.contains(span.segment) {
      ends[span.segment] = max(ends[span.segment] ?? 0, span.bytes.upperBound)
    }
    return try ends.sorted(by: { $0.key < $1.key }).map { number, end in
      try copy(RowSegment.path(number, in: files.rowsPath), as: "rows/\(number)\(RowSegment.suffix)", bytes: end)
    }
  }

  /// Copies the files with symbols that the snapshot of the catalog lists.
  private func copySymbols() throws -> [Copy] {
    // The catalog of an earlier version has none.
    let table = try catalog.connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'symbols'")
    guard try table.exists() else { return [] }
    let hashes = try catalog.connection.prepare("SELECT DISTINCT hash FROM symbols ORDER BY hash").all { $0.text(0) }
    guard !hashes.isEmpty else { return [] }
    try StoredFile.createDirectory(target + "/symbols")
    let copies = try hashes.filter { files.exists("\(files.symbolsPath)/\($0)") }.map { hash in
      let source = "\(files.symbolsPath)/\(hash)"
      return try copy(source, as: "symbols/\(hash)", bytes: CopiedFile.size(source))
    }
    try StoredFile.sync(directory: target + "/symbols")
    return copies
  }

  /// A file of the backup; `wasDamaged` says that of its copy in the previous one, `linkFailure` why that couldn't be shared.
  private typealias Copy = (file: BackupManifest.File, isLinked: Bool, wasDamaged: Bool, linkFailure: String?)

  /// Copies a file, or shares it with the previous backup if it hasn't changed since, there neither.
  private func copy(_ source: String, as name: String, bytes: Int) throws -> Copy {
    let identity = try CopiedFile.identity(source)
    var wasDamaged = false
    var linkFailure: String?
    if let previous, let same = previous.files[name], same.source == identity, same.bytes == bytes {
      // The disk may have damaged it, or someone else.
      wasDamaged = try !same.isWhole(in: previous.path, step: { _ in try onStep(.segment) })
      if !wasDamaged {
        linkFailure = link("\(previous.path)/\(name)", "\(target)/\(name)")
        if linkFailure == nil {
          try onStep(.segment)
          return (same, true, false, nil)
        }
      }
    }
    try CopiedFile.copy(source, bytes: bytes, to: "\(target)/\(name)")
    var file = try described(name)
    file.source = identity
    try onStep(.segment)
    return (file, false, wasDamaged, linkFailure)
  }

  /// Checks the copies in a directory: the structure of the databases, and each block of rows.
  ///
  /// - Parameter onStep: Called for each span of rows.
  static func verify(_ directory: String, onStep: () throws -> Void) throws {
    let files = DataDirectory(path: directory)
    try SQLDatabase.check(files.catalogPath)
    try onStep()
    if files.exists(files.countsPath) { try SQLDatabase.check(files.countsPath) }
    try SQLDatabase.check(files.warehousePath) { connection in
      let retired = try RetiredTable.segments(connection)
      for span in try StoredSpan.all(connection) where !retired.contains(span.segment) {
        let scan = EventScan(connection, [span])
        while try scan.next() != nil {}
        try onStep()
      }
    }
  }
}
