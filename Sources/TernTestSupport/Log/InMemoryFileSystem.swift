import TernBase

/// A file system in memory, for tests of what stores events: fast, and it fails on command.
///
/// It keeps what a real one keeps: files live on while they are open, locks belong to open files, and a directory can
/// be removed under its user. Nothing survives the object.
public final class InMemoryFileSystem: Sendable {
  /// One call, as fault scripts see it.
  public struct Operation: Sendable, CustomStringConvertible {
    /// The operation, such as `write`.
    public let kind: Kind
    /// The path it concerns.
    public let path: String
    /// The number of the call, counted from 1 over the file system's life.
    public let number: Int

    /// The call in one line, for messages.
    public var description: String { "\(number): \(kind.rawValue) \(path)" }

    /// The kinds of calls.
    public enum Kind: String, Sendable, CaseIterable {
      case makeDirectory, list, open, write, read, status, truncate, rename, link, remove, synchronize, lock
    }
  }

  /// The result that replaces that of a call.
  public enum Fault: Sendable, Equatable {
    /// The call does nothing and reports this `errno`.
    case fail(errno: Int32)
    /// A write stores only this many bytes and reports that number; any other call fails with an I/O error.
    case tear(bytes: Int)
    /// A write stores only this many bytes and then fails with this `errno`.
    case tearAndFail(bytes: Int, errno: Int32)
  }

  let state = StateBox()

  /// Creates an empty file system.
  public init() {}

  /// Calls `script` before each operation for a replacement result; `nil` performs the operation. It may also block.
  ///
  /// The script is called without a lock held and may use the file system's other members.
  public func setScript(_ script: (@Sendable (Operation) -> Fault?)?) {
    state.withLock { $0.script = script }
  }

  /// The most bytes that all files may hold together; writes beyond it are cut and then refused.
  ///
  /// The default is no limit.
  public func setCapacity(_ bytes: Int?) {
    state.withLock { $0.capacity = bytes }
  }

  /// Refuses every change while true, as a disk mounted read-only does. The default is false.
  public func setReadOnly(_ isReadOnly: Bool) {
    state.withLock { $0.isReadOnly = isReadOnly }
  }

  /// The number of calls so far.
  public var operationCount: Int { state.withLock { $0.operations } }

  /// Closes every open file and frees every lock, as the end of a process does.
  ///
  /// The next call on a file that was open returns an error.
  public func killProcess() {
    state.withLock { $0.open = [:] }
  }
}

extension InMemoryFileSystem {
  /// The paths of all files, sorted.
  public var paths: [String] { state.withLock { $0.files.keys.sorted() } }

  /// The bytes that all files hold together.
  public var totalBytes: Int { state.withLock { $0.totalBytes } }

  /// The bytes of a file; `nil` when there is none.
  public func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.files[path].flatMap { state.inodes[$0]?.bytes } }
  }

  /// Replaces the bytes of a file, or creates it.
  public func setContents(of path: String, to bytes: [UInt8]) {
    state.withLock { $0.setContents(path, bytes) }
  }

  /// Removes a directory and everything in it, open files or not.
  public func removeTree(_ path: String) {
    state.withLock { $0.removeTree(path) }
  }

  /// An independent copy of all files and directories as they are now; nothing is open or locked in it.
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
