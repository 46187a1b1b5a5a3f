import DataFiles
import RowFiles
import Warehouse
package import WarehouseSQLite

extension WarehouseReader {
  /// Returns the files at home that have some rows.
  package func rowFiles(of ids: [Int64]) throws -> [ScrubbedFile] {
    try read { connection in
      let segments = try Set(ids.compactMap { try StoredSpan.segment(of: $0, connection) })
      return segments.sorted().map { ScrubbedFile(.rows, path: RowSegment.path($0, in: connection.rowsPath)) }
    }
  }
}

extension SQLiteWarehouse {
  /// Returns the files with rows, keys and columns.
  ///
  /// Databases aren't among them: SQLite checks one as a whole, from a snapshot for which the write-ahead log would grow meanwhile.
  /// Regular backups check copies of them.
  package func scrubbedFiles() throws -> [ScrubbedFile] {
    // Not those in the folder: one may be missing.
    let segments = try reader.read { try StoredSpan.segments($0).subtracting(RetiredTable.segments($0)) }
    func all(_ kind: ScrubbedFile.Kind, in path: String, _ suffix: String) throws -> [ScrubbedFile] {
      let names = StoredFile.exists(path) ? try StoredFile.names(in: path, endingWith: [suffix]) : []
      return names.map { ScrubbedFile(kind, path: "\(path)/\($0)") }
    }
    return try segments.map { ScrubbedFile(.rows, path: RowSegment.path($0, in: files.rowsPath)) }
      + all(.keys, in: files.keysPath, KeyRunDirectory.suffix)
      + all(.columns, in: files.columnsPath, ColumnDirectory.suffix)
  }

  /// Reads a file, and returns a message if it is damaged. Not on the threads of Swift: it waits for the disk.
  ///
  /// - Parameter step: Called after each part, of at most some MiB, with its number of bytes. It may wait, and an error that it
  ///   throws ends the check.
  package func damage(of file: ScrubbedFile, step: (Int) throws -> Void) throws -> String? {
    func didRead(_ bytes: Int) throws {
      scrub.didRead(bytes)
      try step(bytes)
    }
    switch file.kind {
    case .rows: return try damageOfRows(file, step: didRead)
    case .backups: return try BackupSeries.damage(of: file, step: didRead)
    case .keys:
      do {
        try KeyRun.check(file.path, step: didRead)
        return nil
      } catch let error as WarehouseError where error.code == .damaged {
        // It may have been merged meanwhile.
        return StoredFile.exists(file.path) ? error.message : nil
      }
    case .columns:
      let (isWhole, bytes) = reader.columns.directory.check(file.name)
      try didRead(bytes)
      return isWhole || !StoredFile.exists(file.path) ? nil : "\(file.path) is damaged."
    }
  }

  private func damageOfRows(_ file: ScrubbedFile, step: (Int) throws -> Void) throws -> String? {
    guard let number = file.segment else { return nil }
    let spans = try reader.read { try StoredSpan.all($0).filter { $0.segment == number && !$0.bytes.isEmpty } }
    let found = DamagedRows()
    for span in spans {
      let scan = EventScan(directory: files.rowsPath, [span], damage: found)
      while try scan.next() != nil {}
      try step(span.bytes.count)
    }
    guard let first = found.messages.first else { return nil }
    // Its rows may have moved to another file, or to the cluster, meanwhile.
    let isUsed = try reader.read {
      try StoredSpan.segments($0).subtracting(RetiredTable.segments($0)).contains(number)
    }
    guard isUsed else { return nil }
    // It reports them.
    damage.note(found)
    return first
  }

  /// Makes a damaged file of keys or columns from the rows again, and one of rows from copies on the cluster, while the server runs.
  ///
  /// - Returns: False if that can't be done with this kind of file.
  package func mend(_ file: ScrubbedFile) async throws -> Bool {
    switch file.kind {
    case .backups: return false
    case .rows:
      guard let segment = file.segment, case .mended = try await mendRows(in: segment) else { return false }
      await finishQuarantine()
    case .keys:
      let remaking = try await perform { $0.duplicates.run(at: file.path).map { KeyRunRemaking($0) } }
      // New rows are stored between the steps.
      while let remaking, try await !perform({ try $0.remakeKeys(remaking) }) { try Task.checkCancellation() }
    case .columns:
      try await reader.reading { [columns = reader.columns] _ in columns.remake(fileNamed: file.name) }
      reader.updateColumns()
    }
    return true
  }
}
