import CTernDisk
import Foundation
import SimulatedDisk

/// The record of this process's file operations below one folder. There is one per process.
enum DiskJournal {
  /// Begins to record below a folder, which must be empty.
  static func begin(_ folder: String) throws {
    guard tern_disk_begin(folder) == 0 else {
      throw SimulationFailure("File operations can't be recorded below \(folder).")
    }
  }

  static func end() { tern_disk_end() }

  static func mark(_ number: Int) { _ = tern_disk_mark(UInt64(number)) }

  /// Returns the recorded operations in their order.
  static func operations() -> [DiskOperation] {
    (0..<tern_disk_count()).map { operation(tern_disk_record($0)) }
  }

  private static func operation(_ record: TernDiskRecord) -> DiskOperation {
    let path = record.path.map { String(cString: $0) } ?? ""
    let target = record.target.map { String(cString: $0) } ?? ""
    switch TernDiskOperation(rawValue: UInt32(record.operation)) {
    case TERN_DISK_CREATE: return .createFile(path: path, inode: record.inode)
    case TERN_DISK_FOLDER: return .createFolder(path: path, inode: record.inode)
    case TERN_DISK_WRITE:
      let bytes = UnsafeRawBufferPointer(start: record.bytes, count: record.count)
      return .write(inode: record.inode, offset: Int(record.offset), bytes: Array(bytes))
    case TERN_DISK_TRUNCATE: return .truncate(inode: record.inode, size: Int(record.offset))
    case TERN_DISK_SYNC: return .sync(inode: record.inode)
    case TERN_DISK_SYNC_FAILED: return .failSync(inode: record.inode)
    case TERN_DISK_RENAME: return .rename(path: path, target: target)
    case TERN_DISK_LINK: return .link(path: path, target: target)
    case TERN_DISK_UNLINK: return .remove(path: path)
    default: return .mark(Int(record.offset))
    }
  }

  /// The inode of a file or folder.
  static func inode(_ path: String) throws -> UInt64 {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SimulationFailure("\(path) is missing.") }
    return UInt64(status.st_ino)
  }
}

/// Why a simulation can't go on, or what it has found.
struct SimulationFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
