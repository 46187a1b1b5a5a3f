import DataFiles
import Foundation
import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A directory that appears under its name only once it is complete and on disk.
///
/// Until then it is called `NAME.unfinished`. What a crash leaves under that name, the next attempt deletes.
package struct NewDirectory {
  package static let suffix = ".unfinished"
  /// The directory once it is complete.
  package let path: String
  /// The directory while it is being filled.
  package let unfinished: String
  private let lock: DirectoryLock

  /// - Throws: ``WarehouseError`` if there are files under the name already, or another process is filling it.
  package init(_ name: String) throws {
    var path = name
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    unfinished = path + Self.suffix
    try Self.checkFree(path)
    let files = DataDirectory(path: unfinished)
    try files.create()
    guard let lock = try files.lock() else { throw WarehouseError(.inUse, "Another process is writing \(path).") }
    self.lock = lock
    try removeAll()
  }

  /// Deletes all files.
  package func removeAll() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: unfinished) {
      try FileManager.default.removeItem(atPath: "\(unfinished)/\(name)")
    }
  }

  /// Throws unless the path is free or an empty directory.
  private static func checkFree(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.isEmpty else {
      throw WarehouseError(.invalid, "\(path) exists and is not empty. Choose a new directory.")
    }
  }

  /// Gives the directory its name.
  package func finish() throws {
    try Self.checkFree(path)
    try StoredFile.sync(directory: unfinished)
    // Atomic, even if there is an empty directory under the name.
    try CopiedFile.rename(unfinished, to: path)
    lock.release()
    try StoredFile.sync(directory: URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Deletes everything.
  package func discard() {
    try? FileManager.default.removeItem(atPath: unfinished)
    lock.release()
  }
}
