#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension FileError {
  /// The file, or its directory, does not exist.
  package var isMissing: Bool { number == ENOENT || number == ENOTDIR || number == ESTALE }
  /// A file of that name exists already.
  package var isExisting: Bool { number == EEXIST }
  /// The disk or the quota is full: the open file itself is fine.
  package var isFull: Bool { number == ENOSPC || number == EDQUOT }
  /// The name belongs to something other than a file.
  package var isIrregular: Bool { operation == .open && number == EISDIR }
  /// The process, or the system, has no descriptor for one more open file.
  package var isOutOfFiles: Bool { number == EMFILE || number == ENFILE }

  static func full(_ operation: FileOperation) -> FileError { FileError(operation, number: ENOSPC) }
  static func missing(_ operation: FileOperation) -> FileError { FileError(operation, number: ENOENT) }
}
