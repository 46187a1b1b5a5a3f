import DataFiles
import Foundation
import TernBase
package import TernEvents
package import Warehouse

/// The bounds of files with symbols.
package struct SymbolLimits: Sendable {
  /// The most bytes of a file, after decompression.
  package var fileBytes = 1 << 30
  /// The bytes that stay free on the disk.
  package var diskReserve = 256 << 20

  package init() {}

  /// The error for a file that is larger.
  var tooLarge: WarehouseError {
    WarehouseError(
      .invalid,
      "A file with symbols can have at most \(fileBytes >> 20) MiB. Upload that of one architecture, or without the "
        + "symbols of other modules.")
  }
}

/// Receives files with symbols into a data directory.
package struct SymbolStore: Sendable {
  private let directory: DataDirectory
  private let catalog: any SymbolCatalog
  private let limits: SymbolLimits
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - directory: The data directory.
  ///   - catalog: Its catalog.
  ///   - now: The wall clock.
  package init(
    directory: String, catalog: any SymbolCatalog, limits: SymbolLimits = SymbolLimits(),
    now: @escaping @Sendable () -> Timestamp = WallClock.system
  ) {
    self.directory = DataDirectory(path: directory)
    self.catalog = catalog
    self.limits = limits
    self.now = now
  }

  /// Begins to receive a file.
  ///
  /// - Parameter isCompressed: True if the bytes are compressed with gzip.
  package func receive(isCompressed: Bool = false) throws -> SymbolUpload {
    SymbolUpload(store: self, file: try newFile(), isCompressed: isCompressed)
  }

  /// Stores the files with symbols in a zip archive on this machine; returns `nil` if it is none.
  ///
  /// - Throws: ``ObjectError`` if there are none, ``WarehouseError`` if one can't be stored.
  package func addArchive(path: String, app: AppID) throws -> StoredArchive? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let source = ObjectSource(descriptor: descriptor)
    return ZipArchive.isArchive(source) ? try storeArchive(source, app: app) : nil
  }

  /// Stores a file on this machine.
  ///
  /// - Parameter mapping: The app's version and build if the file is their mapping.
  /// - Returns: The facts about each of its architectures.
  /// - Throws: ``ObjectError`` if it has no symbols, ``WarehouseError`` if it can't be stored.
  package func add(
    path: String, app: AppID, image: String? = nil, mapping: MappedBuild? = nil
  ) throws -> [StoredSymbols] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw WarehouseError(.invalid, "\(path) can't be opened: \(String(cString: strerror(errno))).")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let source = ObjectSource(descriptor: descriptor)
    guard source.count <= limits.fileBytes else { throw limits.tooLarge }
    // Before it is copied: directories have many files without symbols.
    if mapping == nil { _ = try ObjectFile.read(source) } else { try Self.checkMappingSize(source.count) }
    let upload = try receive()
    while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
      try part.withUnsafeBytes { try upload.append($0) }
    }
    return try upload.finish(app: app, image: image ?? URL(filePath: path).lastPathComponent, mapping: mapping)
  }

  func newFile() throws -> ReceivedFile {
    try ReceivedFile(in: directory, name: UUID().uuidString + SymbolFile.incompleteSuffix, limit: limits)
  }

  func store(_ file: ReceivedFile, app: AppID, image: String) throws -> [StoredSymbols] {
    let objects = try ObjectFile.read(file.source)
    // The server stores each architecture alone, so that those who read a file needn't choose.
    return try objects.map { object in
      var part = file
      if object.range != 0..<file.bytes {
        part = try newFile()
        try part.append(object.range, of: file)
      }
      return try store(part, object, app: app, image: image)
    }
  }

  func store(_ file: ReceivedFile, _ object: ObjectFile, app: AppID, image: String) throws -> StoredSymbols {
    try file.sync()
    let facts = SymbolFile(
      app: app, buildID: object.buildID, architecture: object.architecture, image: ObjectFile.name(image),
      hash: file.digest, bytes: file.bytes, hasLines: object.hasLines, textAddress: object.textAddress,
      author: AuditActor.current.name, uploaded: now())
    let addition = try catalog.addSymbols(facts, from: file.path)
    return StoredSymbols(file: facts, addition: addition, warning: object.warning)
  }
}

/// The facts about a file that was uploaded, and the result.
package struct StoredSymbols: Sendable {
  package var file: SymbolFile
  package var addition: SymbolFile.Addition
  /// The reason why stacks will lack something, and what to do; `nil` if they won't.
  package var warning: String?
}

/// A file that is being received. One task appends its bytes.
package final class SymbolUpload {
  private let store: SymbolStore
  private let file: ReceivedFile
  private let inflater: GzipInflater?

  fileprivate init(store: SymbolStore, file: ReceivedFile, isCompressed: Bool) {
    (self.store, self.file) = (store, file)
    inflater = isCompressed ? GzipInflater() : nil
  }

  /// Appends bytes as sent.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the file is too large or can't be decompressed, `full` if the disk
  ///   has no room.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard let inflater else { return try file.append(bytes) }
    try inflater.inflate(bytes) { try file.append($0) }
  }

  /// Stores the file, or the files of a zip archive; call it once.
  ///
  /// - Parameter mapping: The app's version and build if the file is their mapping.
  /// - Throws: ``ObjectError`` if it has no symbols, ``WarehouseError`` if it can't be stored.
  package func finishAll(app: AppID, image: String, mapping: MappedBuild? = nil) throws -> StoredArchive {
    try inflater?.checkEnd()
    let source = file.source
    if let mapping {
      return StoredArchive(stored: [try store.storeMapping(file, of: mapping, app: app, image: image)])
    }
    guard !ZipArchive.isArchive(source) else { return try store.storeArchive(source, app: app) }
    return StoredArchive(stored: try store.store(file, app: app, image: image))
  }

  /// Stores the file; call it once.
  package func finish(app: AppID, image: String, mapping: MappedBuild? = nil) throws -> [StoredSymbols] {
    try finishAll(app: app, image: image, mapping: mapping).stored
  }
}
