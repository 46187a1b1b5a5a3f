/// The new content of a file, which replaces the old one whole or not at all.
struct FileReplacement {
  static let temporarySuffix = ".tmp"

  let path: String
  /// Empty to remove the file.
  let bytes: [UInt8]
  /// True if power loss must not leave a torn file either; waits for the medium.
  var isFlushed = false

  /// Replaces the file; false if that failed.
  func write(_ fileSystem: any FileSystem) -> Bool {
    if bytes.isEmpty { return remove(fileSystem) }
    let temporary = path + Self.temporarySuffix
    do throws(FileError) {
      try? fileSystem.remove(temporary)
      try fill(temporary, fileSystem)
      if isFlushed { try fileSystem.synchronize(temporary) }
      try fileSystem.rename(temporary, to: path)
      return true
    } catch {
      try? fileSystem.remove(temporary)
      return false
    }
  }

  private func fill(_ temporary: String, _ fileSystem: any FileSystem) throws(FileError) {
    let file = try fileSystem.open(temporary, .create)
    defer { fileSystem.close(file) }
    let written = bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: 0) }
    if written != bytes.count { throw FileError.full(.write) }
  }

  private func remove(_ fileSystem: any FileSystem) -> Bool {
    do throws(FileError) {
      try fileSystem.remove(path)
      return true
    } catch { return error.isMissing }
  }
}
