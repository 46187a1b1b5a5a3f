import TernEvents

/// A disk under a program: what the program sees of it, what would survive a power loss for certain, and what might.
///
/// It promises what POSIX does, and no more: a sync of a file keeps its content, a sync of a folder its names. So a name may
/// survive without content, and content without a name. Names in one folder survive in the order of their changes, as the
/// journals of all common file systems do.
package struct DiskHistory: Sendable {
  /// A change of a file that a power loss may undo.
  enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  struct File: Sendable {
    var synced: [UInt8] = []
    var pending: [Change] = []
  }

  /// The names that one step gives or takes: two for a rename, which is atomic.
  typealias NameChange = [(name: String, inode: UInt64?)]

  struct Folder: Sendable {
    var synced: [String: UInt64] = [:]
    var pending: [NameChange] = []
    /// The names as the program sees them.
    var current: [String: UInt64] = [:]
  }

  private(set) var files: [UInt64: File] = [:]
  private(set) var folders: [UInt64: Folder] = [:]
  let root: UInt64
  private var generator: FastGenerator
  /// The marks so far.
  package private(set) var lastMark: Int?

  /// - Parameters:
  ///   - root: The inode of the folder, which is empty and survives.
  ///   - seed: Decides what of a failed sync is on the disk.
  package init(root: UInt64, seed: UInt64) {
    self.root = root
    generator = FastGenerator(seed: seed)
    folders[root] = Folder()
  }

  /// The same disk with other inodes.
  init(_ other: DiskHistory, seed: UInt64, inode: (UInt64) -> UInt64) {
    root = inode(other.root)
    generator = FastGenerator(seed: seed)
    for (number, file) in other.files { files[inode(number)] = file }
    for (number, folder) in other.folders {
      folders[inode(number)] = Folder(
        synced: folder.synced.mapValues(inode),
        pending: folder.pending.map { $0.map { (name: $0.name, inode: $0.inode.map(inode)) } },
        current: folder.current.mapValues(inode))
    }
  }

  mutating func syncAll() {
    for inode in Array(files.keys) + Array(folders.keys) { sync(inode) }
  }

  package mutating func apply(_ operation: DiskOperation) {
    switch operation {
    case .createFile(let path, let inode):
      files[inode] = File()
      change([(path, inode)])
    case .createFolder(let path, let inode):
      folders[inode] = Folder()
      change([(path, inode)])
    case .write(let inode, let offset, let bytes): files[inode]?.pending.append(.write(offset: offset, bytes: bytes))
    case .truncate(let inode, let size): files[inode]?.pending.append(.truncate(size: size))
    case .sync(let inode): sync(inode)
    case .failSync(let inode): failSync(inode)
    case .rename(let path, let target): change([(target, inode(path)), (path, nil)])
    case .link(let path, let target): change([(target, inode(path))])
    case .remove(let path): change([(path, nil)])
    case .mark(let number): lastMark = number
    }
  }

  private mutating func sync(_ inode: UInt64) {
    if var file = files.removeValue(forKey: inode) {
      for change in file.pending { change.apply(to: &file.synced) }
      file.pending = []
      files[inode] = file
    } else if var folder = folders[inode] {
      folder.synced = folder.current
      folder.pending = []
      folders[inode] = folder
    }
  }

  private mutating func failSync(_ inode: UInt64) {
    guard var file = files[inode] else { return }
    for change in file.pending where Bool.random(using: &generator) { change.apply(to: &file.synced) }
    file.pending = []
    files[inode] = file
  }

  private mutating func change(_ paths: [(path: String, inode: UInt64?)]) {
    var byFolder: [UInt64: NameChange] = [:]
    for (path, inode) in paths {
      let end = path.lastIndex(of: "/") ?? path.startIndex
      guard let folder = self.inode(String(path[..<end])) else { continue }
      let name = String(path[path.index(after: end)...])
      folders[folder]?.current[name] = inode
      byFolder[folder, default: []].append((name, inode))
    }
    for (folder, change) in byFolder { folders[folder]?.pending.append(change) }
  }

  private func inode(_ path: String) -> UInt64? {
    path.split(separator: "/").reduce(root) { folder, name in
      folder.flatMap { folders[$0]?.current[String(name)] }
    }
  }
}

extension DiskHistory.Change {
  func apply(to content: inout [UInt8]) {
    switch self {
    case .truncate(let size):
      if size < content.count {
        content.removeSubrange(size...)
      } else {
        content += repeatElement(0, count: size - content.count)
      }
    case .write(let offset, let bytes):
      let end = offset + bytes.count
      if end > content.count { content += repeatElement(0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
    }
  }
}
