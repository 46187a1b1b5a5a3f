import RowFiles
import Warehouse
package import WarehouseSQLite

extension BackupSeries {
  /// Returns the files of all backups. One that several share is named once, in the earliest of them.
  package func scrubbedFiles() throws -> [ScrubbedFile] {
    guard StoredFile.exists(path) else { return [] }
    var seen: Set<String> = []
    return try names().flatMap { name in
      let directory = "\(path)/\(name)"
      let list = ScrubbedFile(
        .backups, path: "\(directory)/\(BackupManifest.name)", identity: "backups/\(name)/\(BackupManifest.name)")
      let files = (try? BackupManifest(readingFrom: directory).files) ?? []
      return [list]
        + files.compactMap { file in
          let path = "\(directory)/\(file.path)"
          // A missing file has none.
          let identity = (try? CopiedFile.identity(path)) ?? "backups/\(name)/\(file.path)"
          guard seen.insert(identity).inserted else { return nil }
          return ScrubbedFile(
            .backups, path: path, identity: identity,
            listed: ScrubbedFile.Listed(bytes: file.bytes, check: file.check))
        }
    }
  }

  /// Returns the message about a file of a backup that is damaged; `nil` if it isn't.
  ///
  /// - Parameter step: Called after each part with its number of bytes.
  static func damage(of file: ScrubbedFile, step: (Int) throws -> Void) throws -> String? {
    let advice = "Don't restore this backup. The next regular one copies what is damaged anew."
    do {
      if let listed = file.listed {
        guard try CopiedFile.check(file.path, bytes: listed.bytes, step: step) != listed.check else { return nil }
        return "\(file.path) is damaged. \(advice)"
      }
      _ = try BackupManifest(readingFrom: String(file.path.dropLast(file.name.count + 1)))
      return nil
    } catch let error as WarehouseError where error.code == .damaged {
      return "\(error.message) \(advice)"
    } catch let error as WarehouseError where error.code == .invalid && !StoredFile.exists(file.path) {
      return "\(file.path) is missing. \(advice)"
    } catch let error as WarehouseError where error.code == .invalid {
      // It may have been written by a later version.
      return nil
    }
  }

  /// Reads the files of all backups in a directory, and returns a message for each that is damaged.
  package static func damages(in path: String) throws -> [String] {
    try BackupSeries(path: path, interval: .zero, kept: 0).scrubbedFiles().compactMap {
      try damage(of: $0) { _ in }
    }
  }

  /// Returns the directory of the backups if a file belongs to one of them, else `nil`.
  package static func directory(ofFile path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let backup = parts.lastIndex(where: { $0.hasPrefix(prefix) && $0.hasSuffix("Z") }) else { return nil }
    return parts[..<backup].joined(separator: "/")
  }
}
