import DataFiles
import Foundation
import Warehouse

/// The copy of standard input that `tern import -` makes, because a server may read it after the command has ended.
package enum ImportInput {
  private static let prefix = "import-"

  /// Removes the file at a path if it is a copy.
  package static func removeCopy(_ path: String) {
    if isCopy(path) { try? FileManager.default.removeItem(atPath: path) }
  }

  /// True if a path is that of a copy in a data directory.
  static func isCopy(_ path: String) -> Bool {
    let file = URL(filePath: path)
    let catalog = file.deletingLastPathComponent().appending(path: "catalog.sqlite").path
    let name = file.lastPathComponent
    return name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
      && FileManager.default.fileExists(atPath: catalog)
  }

  /// Copies standard input to a file that only its owner can read, and returns its path.
  package static func copyOfStandardInput(in directory: String) throws -> String {
    let path = URL(filePath: "\(directory)/\(prefix)\(UUID().uuidString)").standardizedFileURL.path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ServerFailure("\(path) can't be created.") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      while let bytes = try FileHandle.standardInput.read(upToCount: 1 << 20), !bytes.isEmpty {
        try file.write(contentsOf: bytes)
      }
      // The job that reads it is on disk as soon as it is added.
      try file.synchronize()
      try file.close()
      try DataDirectory(path: directory).syncFolder(directory)
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw ServerFailure("Standard input can't be copied to \(path): \(error.localizedDescription)")
    }
    return path
  }
}
