/// An open file of a `FileSystem`.
package struct OpenFile: Hashable, Sendable {
  /// The descriptor, or the number by which the file system identifies the open file.
  package let number: Int32

  /// Creates a reference to an open file.
  package init(number: Int32) { self.number = number }
}

/// The operations of `FileSystem`, as errors and fault scripts name them.
package enum FileOperation: String, Sendable, CaseIterable {
  case makeDirectory, list, open, write, read, status, truncate, rename, link, remove, synchronize, lock
}

/// The error of a file operation.
package struct FileError: Error, Equatable, CustomStringConvertible {
  /// The operation that failed.
  package var operation: FileOperation
  /// The value of `errno`.
  package var number: Int32

  /// Creates an error from the value of `errno`.
  package init(_ operation: FileOperation, number: Int32) {
    self.operation = operation
    self.number = number
  }

  /// The operation and the number, for log lines.
  package var description: String { "\(operation.rawValue) failed with errno \(number)" }
}

/// The present state of an open file.
package struct FileStatus: Equatable, Sendable {
  /// The size of the file, in bytes.
  package var size: Int
  /// False once the file was removed from its directory: bytes written to it then are lost.
  package var isLinked: Bool

  /// Creates a status from its parts.
  package init(size: Int, isLinked: Bool) {
    self.size = size
    self.isLinked = isLinked
  }
}

/// The mode in which a file is opened. Every file is closed on exec.
package enum OpenMode: Sendable {
  /// Opens for reading; the file must exist.
  case read
  /// Opens for reading and writing; the file must exist.
  case update
  /// Opens for reading and writing; the file must not exist yet.
  case create
  /// Opens for locking: creates the file if missing, and opens it for reading if the directory is read-only.
  case lock
}

/// The file operations of the log, its only access to the disk, so that tests can fail, tear or delay each one.
///
/// Implementations retry interrupted calls and may be called from any thread. Paths are absolute or relative to the
/// working directory, without a trailing slash.
package protocol FileSystem: Sendable {
  /// Creates the directory and its missing parents; one that exists already is fine.
  func makeDirectory(_ path: String) throws(FileError)
  /// The names in a directory, in any order, without `.` and `..`.
  func list(_ directory: String) throws(FileError) -> [String]
  /// Opens a file; see `OpenMode` for what must exist. Never blocks: anything but a file, such as a pipe, is an error.
  func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile
  /// Closes a file and frees its lock.
  func close(_ file: OpenFile)
  /// Writes with a single system call and returns how many bytes arrived, which may be fewer than given.
  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileError) -> Int
  /// Reads until the buffer is full or the file ends; returns how many bytes were read.
  func read(into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int) throws(FileError) -> Int
  /// The present state of the file, independent of its name.
  func status(_ file: OpenFile) throws(FileError) -> FileStatus
  /// Cuts the file, or extends it with zeros.
  func truncate(_ file: OpenFile, to size: Int) throws(FileError)
  /// Moves a file atomically, replacing the destination.
  func rename(_ path: String, to destination: String) throws(FileError)
  /// Gives a file a second name; fails with `EEXIST` if the name is taken.
  func link(_ path: String, to name: String) throws(FileError)
  /// Removes a file.
  func remove(_ path: String) throws(FileError)
  /// Flushes the file's bytes to the medium; also takes a directory's path, for the names in it.
  func synchronize(_ path: String) throws(FileError)
  /// Locks the file exclusively until it is closed; false if another open file holds the lock.
  func lock(_ file: OpenFile) throws(FileError) -> Bool
  /// The bytes that files in the directory may still take; `nil` if that is unknown or needn't be asked.
  func freeBytes(_ directory: String) -> Int?
}
