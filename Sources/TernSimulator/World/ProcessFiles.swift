import Foundation
import TernBase
import TernEvents
import TernLog
import TernTestSupport

/// One process's view of the disk: when the process dies, its files are closed and it can no longer change the disk.
final class ProcessFiles: FileSystem {
  private struct State {
    /// The paths of open files.
    var open: [Int32: String] = [:]
    var locked: Set<Int32> = []
    var isDead = false
    /// The number of operations after which the process dies.
    var operationsLeft: Int?
    /// The number of bytes of its last write that still reach the disk.
    var tornBytes: Int?
    var hasTorn = false
  }

  private let disk: InMemoryFileSystem
  private let state = Locked(State())

  init(_ disk: InMemoryFileSystem) { self.disk = disk }

  /// True if the process died within a call.
  var isDead: Bool { state.withLock { $0.isDead } }

  /// True if it left a torn write.
  var hasTorn: Bool { state.withLock { $0.hasTorn } }

  /// The directories whose locks it holds.
  var ownedDirectories: [String] {
    state.withLock { state in
      state.open.filter { state.locked.contains($0.key) && $0.value.hasSuffix("/lock") }
        .map { String($0.value.dropLast("/lock".count)) }.sorted()
    }
  }

  func die(afterOperations count: Int, tearing bytes: Int?) {
    state.withLock {
      $0.operationsLeft = count
      $0.tornBytes = bytes
    }
  }

  /// Ends the process: its files are closed and its locks released.
  func kill() {
    let files = state.withLock { state in
      state.isDead = true
      defer { state.open = [:] }
      return state.open.keys.sorted()
    }
    for file in files { disk.close(OpenFile(number: file)) }
  }

  private enum Leave { case proceed, refuse, tear(Int) }

  private func leave() -> Leave {
    state.withLock { state in
      if state.isDead { return .refuse }
      guard let left = state.operationsLeft else { return .proceed }
      guard left == 0 else {
        state.operationsLeft = left - 1
        return .proceed
      }
      state.isDead = true
      return state.tornBytes.map(Leave.tear) ?? .refuse
    }
  }

  private func check(_ operation: FileOperation) throws(FileError) {
    guard case .proceed = leave() else { throw FileError(operation, number: EIO) }
  }

  func makeDirectory(_ path: String) throws(FileError) {
    try check(.makeDirectory)
    try disk.makeDirectory(path)
  }

  func list(_ directory: String) throws(FileError) -> [String] {
    try check(.list)
    // In an arbitrary order that is the same in every run.
    return try disk.list(directory).sorted { ($0.scrambled, $0) < ($1.scrambled, $1) }
  }

  func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile {
    try check(.open)
    let file = try disk.open(path, mode)
    state.withLock { $0.open[file.number] = path }
    return file
  }

  func close(_ file: OpenFile) {
    let isOurs = state.withLock { state in
      // A dying process closes everything at once later.
      if state.isDead { return false }
      state.locked.remove(file.number)
      return state.open.removeValue(forKey: file.number) != nil
    }
    if isOurs { disk.close(file) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int) throws(FileError) -> Int {
    switch leave() {
    case .proceed: return try disk.write(bytes, to: file, at: offset)
    case .refuse: break
    case .tear(let count):
      state.withLock { $0.hasTorn = true }
      // Never the whole: such an event would be stored, although no call has reported it.
      let torn = UnsafeRawBufferPointer(rebasing: bytes[..<max(min(count, bytes.count - 1), 0)])
      _ = try? disk.write(torn, to: file, at: offset)
    }
    throw FileError(.write, number: EIO)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int) throws(FileError) -> Int {
    try check(.read)
    return try disk.read(into: buffer, from: file, at: offset)
  }

  func status(_ file: OpenFile) throws(FileError) -> FileStatus {
    try check(.status)
    return try disk.status(file)
  }

  func truncate(_ file: OpenFile, to size: Int) throws(FileError) {
    try check(.truncate)
    try disk.truncate(file, to: size)
  }

  func rename(_ path: String, to destination: String) throws(FileError) {
    try check(.rename)
    try disk.rename(path, to: destination)
  }

  func link(_ path: String, to name: String) throws(FileError) {
    try check(.link)
    try disk.link(path, to: name)
  }

  func remove(_ path: String) throws(FileError) {
    try check(.remove)
    try disk.remove(path)
  }

  func synchronize(_ path: String) throws(FileError) {
    try check(.synchronize)
    try disk.synchronize(path)
  }

  func lock(_ file: OpenFile) throws(FileError) -> Bool {
    try check(.lock)
    let isLocked = try disk.lock(file)
    if isLocked { state.withLock { _ = $0.locked.insert(file.number) } }
    return isLocked
  }

  func freeBytes(_ directory: String) -> Int? { disk.freeBytes(directory) }
}

extension String {
  fileprivate var scrambled: UInt64 {
    var digest = Digest()
    digest.mix(self)
    return digest.value
  }
}
