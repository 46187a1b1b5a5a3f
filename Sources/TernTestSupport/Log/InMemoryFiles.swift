import TernBase
import TernEvents

/// The files of an `InMemoryFileSystem`, behind its lock.
struct InMemoryFiles {
  struct Inode {
    var bytes: [UInt8] = []
    var isLinked = true
    /// The bytes that are certainly on the medium.
    var flushed: [UInt8] = []
    /// The smallest size to which the file has been truncated since; takes effect on the medium with the next names.
    var cut = Int.max
  }

  struct Handle {
    let inode: Int
    let isWritable: Bool
    var holdsLock = false
    let path: String
  }

  var directories: Set<String> = ["", "/", "."]
  /// The inode of each path.
  var files: [String: Int] = [:]
  var inodes: [Int: Inode] = [:]
  var open: [Int32: Handle] = [:]
  var script: (@Sendable (InMemoryFileSystem.Operation) -> InMemoryFileSystem.Fault?)?
  var capacity: Int?
  var reportedSpace: Int?
  var isReadOnly = false
  var operations = 0
  /// The names that are certainly on the medium. As in a journal, flushing one directory flushes all names.
  var flushedFiles: [String: Int] = [:]
  private var lastInode = 0
  private var lastHandle: Int32 = 0

  var totalBytes: Int { Set(files.values).reduce(0) { $0 + (inodes[$1]?.bytes.count ?? 0) } }

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  mutating func setContents(_ path: String, _ bytes: [UInt8]) {
    if let inode = files[path] {
      inodes[inode]?.bytes = bytes
    } else {
      inodes[create(path)]?.bytes = bytes
    }
  }

  mutating func create(_ path: String) -> Int {
    lastInode += 1
    inodes[lastInode] = Inode()
    files[path] = lastInode
    return lastInode
  }

  mutating func open(_ path: String, _ inode: Int, isWritable: Bool) -> Int32 {
    lastHandle += 1
    open[lastHandle] = Handle(inode: inode, isWritable: isWritable, path: path)
    return lastHandle
  }

  mutating func close(_ handle: Int32) {
    guard let inode = open.removeValue(forKey: handle)?.inode else { return }
    forget(inode)
  }

  mutating func unlink(_ path: String) {
    guard let inode = files.removeValue(forKey: path) else { return }
    inodes[inode]?.isLinked = files.values.contains(inode)
    forget(inode)
  }

  mutating func removeTree(_ path: String) {
    for file in files.keys where file.hasPrefix(path + "/") { unlink(file) }
    directories = directories.filter { $0 != path && !$0.hasPrefix(path + "/") }
  }

  /// Frees an inode without a name or an open file.
  private mutating func forget(_ inode: Int) {
    guard inodes[inode]?.isLinked == false, !open.values.contains(where: { $0.inode == inode }),
      !flushedFiles.values.contains(inode)
    else { return }
    inodes[inode] = nil
  }
}

/// The lock around the files.
final class StateBox: Sendable {
  private let locked = Locked(InMemoryFiles())

  func withLock<Result, Failure: Error>(
    _ body: (inout InMemoryFiles) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try locked.withLock(body)
  }
}
