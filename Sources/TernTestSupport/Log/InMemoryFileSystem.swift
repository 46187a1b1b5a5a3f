import TernBase

/// A file system in memory, for tests of code that stores events: fast, with faults on demand.
///
/// It behaves like a real one: removed files exist while they are open, locks belong to open files, and a directory can
/// be removed while in use. Nothing outlives the object.
public final class InMemoryFileSystem: Sendable {
  /// One call, as passed to fault scripts.
  public struct Operation: Sendable, CustomStringConvertible {
    /// The operation, such as `write`.
    public let kind: Kind
    /// The path it concerns.
    public let path: String
    /// The number of the call, counted from 1.
    public let number: Int

    /// The call on one line, for messages.
    public var description: String { "\(number): \(kind.rawValue) \(path)" }

    /// The kinds of calls.
    public enum Kind: String, Sendable, CaseIterable {
      case makeDirectory, list, open, write, read, status, truncate, rename, link, remove, synchronize, lock
    }
  }

  /// The result that replaces that of a call.
  public enum Fault: Sendable, Equatable {
    /// The call has no effect and reports this `errno`.
    case fail(errno: Int32)
    /// A write stores only this many bytes and reports that number; any other call fails with an I/O error.
    case tear(bytes: Int)
    /// A write stores only this many bytes and then fails with this `errno`.
    case tearAndFail(bytes: Int, errno: Int32)
  }

  let state = StateBox()

  /// Creates an empty file system.
  public init() {}

  /// Sets a script that is called before each operation and can replace its result; `nil` performs the operation. The
  /// script may block.
  ///
  /// It is called without a lock and may use the file system's other members.
  public func setScript(_ script: (@Sendable (Operation) -> Fault?)?) {
    state.withLock { $0.script = script }
  }

  /// Sets the maximum number of bytes of all files together; writes beyond it are cut short, then fail.
  ///
  /// There is no limit by default.
  public func setCapacity(_ bytes: Int?) {
    state.withLock { $0.capacity = bytes }
  }

  /// Sets the free space that the file system reports, in bytes; `nil`, the default, if it reports none.
  ///
  /// It has no effect on writes: some file systems accept those for which they find no room later.
  public func setReportedSpace(_ bytes: Int?) {
    state.withLock { $0.reportedSpace = bytes }
  }

  /// Makes every change fail while true, as on a disk mounted read-only. The default is false.
  public func setReadOnly(_ isReadOnly: Bool) {
    state.withLock { $0.isReadOnly = isReadOnly }
  }

  /// The number of calls so far.
  public var operationCount: Int { state.withLock { $0.operations } }

  /// Closes every open file and releases every lock, as the end of a process does.
  ///
  /// The next call on a file that was open returns an error.
  public func killProcess() {
    state.withLock { $0.open = [:] }
  }
}

extension InMemoryFileSystem {
  /// The paths of all files, sorted.
  public var paths: [String] { state.withLock { $0.files.keys.sorted() } }

  /// The total number of bytes in all files.
  public var totalBytes: Int { state.withLock { $0.totalBytes } }

  /// Returns the bytes of a file, or `nil` if it does not exist.
  public func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.files[path].flatMap { state.inodes[$0]?.bytes } }
  }

  /// Replaces the bytes of a file, or creates it.
  public func setContents(of path: String, to bytes: [UInt8]) {
    state.withLock { $0.setContents(path, bytes) }
  }

  /// Removes a directory and all of its contents, even open files.
  public func removeTree(_ path: String) {
    state.withLock { $0.removeTree(path) }
  }

  /// Returns an independent copy of all files and directories; nothing is open or locked in it.
  public func copy() -> InMemoryFileSystem {
    let copy = InMemoryFileSystem()
    let files = state.withLock { state in
      (state.directories, state.files.compactMapValues { state.inodes[$0]?.bytes })
    }
    copy.state.withLock { state in
      state.directories = files.0
      for (path, bytes) in files.1 { state.setContents(path, bytes) }
    }
    return copy
  }
}
