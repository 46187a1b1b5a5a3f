/// One of the sibling directories `log-0`, `log-1`, …, with its lock.
struct LogDirectory {
  static let lockName = "lock"
  private static let prefix = "log-"
  /// More processes than this on one directory are a mistake.
  private static let siblings = 64

  let path: String
  let lock: OpenFile

  func path(_ name: String) -> String { path + "/" + name }

  /// Locks the first free sibling, creating it if necessary.
  static func acquire(in parent: String, _ fileSystem: any FileSystem) throws(FileError) -> LogDirectory {
    try fileSystem.makeDirectory(parent)
    var failure: FileError?
    for number in 0..<siblings {
      let path = "\(parent)/\(prefix)\(number)"
      do throws(FileError) {
        try fileSystem.makeDirectory(path)
        if let directory = try lock(path, fileSystem) { return directory }
      } catch {
        // One sibling may be broken by itself; two in a row mean that the parent is.
        if failure != nil { throw error }
        failure = error
      }
    }
    throw failure ?? FileError.missing(.lock)
  }

  /// Locks all other existing siblings whose processes are dead.
  static func orphans(in parent: String, besides own: LogDirectory, _ fileSystem: any FileSystem) -> [LogDirectory] {
    guard let names = try? fileSystem.list(parent) else { return [] }
    let numbers = names.compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }
    return numbers.sorted().compactMap { number in
      let path = "\(parent)/\(prefix)\(number)"
      return path == own.path ? nil : (try? lock(path, fileSystem)) ?? nil
    }
  }

  /// Locks one directory; `nil` if another process holds the lock.
  private static func lock(_ path: String, _ fileSystem: any FileSystem) throws(FileError) -> LogDirectory? {
    // Repeat if the lock file was removed between opening and locking it: such a lock excludes no other process.
    for _ in 0..<3 {
      let file = try fileSystem.open(path + "/" + lockName, .lock)
      do throws(FileError) {
        guard try fileSystem.lock(file) else {
          fileSystem.close(file)
          return nil
        }
        if try fileSystem.status(file).isLinked { return LogDirectory(path: path, lock: file) }
        fileSystem.close(file)
        try fileSystem.makeDirectory(path)
      } catch {
        fileSystem.close(file)
        throw error
      }
    }
    return nil
  }

  /// The segments in this directory, oldest first.
  func segments(_ fileSystem: any FileSystem) throws(FileError) -> [SegmentName] {
    try fileSystem.list(path).compactMap { SegmentName($0) }.sorted { $0.number < $1.number }
  }
}
