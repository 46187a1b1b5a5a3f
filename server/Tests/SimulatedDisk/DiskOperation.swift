/// A file operation below one folder. Paths begin with `/`, which is that folder; files and folders are known by their inodes.
package enum DiskOperation: Sendable, Equatable {
  case createFile(path: String, inode: UInt64)
  case createFolder(path: String, inode: UInt64)
  case write(inode: UInt64, offset: Int, bytes: [UInt8])
  /// Also makes a file larger, with zeros.
  case truncate(inode: UInt64, size: Int)
  /// Makes the content of a file, or the names in a folder, survive a power loss.
  case sync(inode: UInt64)
  /// A sync that failed. What was written until then may be on the disk or not, and no later sync changes that: the system takes
  /// it for written.
  case failSync(inode: UInt64)
  case rename(path: String, target: String)
  case link(path: String, target: String)
  case remove(path: String)
  /// Nothing on the disk; tells how far the program is.
  case mark(Int)
}
