import Foundation
package import TernEvents
package import TernLog

/// What a client remembers from launch to launch, beside the queue.
struct Switches: Codable, Equatable, Sendable {
  /// Whether the client records and sends.
  var isEnabled = true
  /// The user named by `identify`.
  var user: String?
  /// Counts the changes of user.
  var epoch: UInt32 = 0
  /// The parts that are not recorded; `nil` when all are.
  var off: Set<TernClient.Part>?
  /// Whether requests may be made; `nil` means true.
  var allowsRequests: Bool?
  /// The queue's limit, where the app set it while it ran.
  var queueBytes: Int?
}

/// What one client changed of the switches.
struct SwitchChanges: Equatable, Sendable {
  struct User: Equatable, Sendable {
    var name: String?
    var epoch: UInt32
  }

  var isEnabled: Bool?
  var user: User?
  var parts: [TernClient.Part: Bool] = [:]
  var allowsRequests: Bool?
  var queueBytes: Int?

  func applied(to old: Switches) -> Switches {
    var switches = old
    if let isEnabled { switches.isEnabled = isEnabled }
    if let user {
      switches.user = user.name
      // Another process may have counted further meanwhile.
      switches.epoch = max(old.epoch &+ 1, user.epoch)
    }
    for (part, isOn) in parts {
      var off = switches.off ?? []
      if isOn { off.remove(part) } else { off.insert(part) }
      switches.off = off.isEmpty ? nil : off
    }
    if let allowsRequests { switches.allowsRequests = allowsRequests ? nil : false }
    if let queueBytes { switches.queueBytes = queueBytes }
    return switches
  }
}

/// The small files in a queue's directory: the install's identifier, the switches, what delivery remembers.
///
/// They are replaced by renaming, so that a crash leaves the old or the new one and never half of one.
package struct StateFiles: Sendable {
  let directory: String
  let fileSystem: any FileSystem
  /// Names temporary files: another process may be writing its own at the same time.
  let temporaryName: String
  /// What this client changed and the file does not say yet.
  var unsaved = SwitchChanges()
  /// The switches as they were last looked at, kept open: whoever replaces the file unlinks this one.
  private var seen: OpenFile?

  /// Looks at nothing yet.
  package init(directory: String, fileSystem: any FileSystem, temporaryName: String) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.temporaryName = temporaryName
  }

  private static let installName = "install-id"
  private static let switchesName = "switches.json"
  private static let switchesLockName = "switches.lock"
  private static let memoryName = "delivery.json"
  private static let maximumBytes = 64 << 10

  /// A damaged file means the defaults: better a forgotten user than an app that cannot start.
  func loadSwitches() -> Switches { readSwitches() ?? Switches() }

  private func readSwitches() -> Switches? {
    guard let bytes = read(Self.switchesName),
      var switches = try? JSONDecoder().decode(Switches.self, from: Data(bytes))
    else { return nil }
    // Of the highest numbers the log makes other use.
    switches.epoch &= RecordEpoch.identityMask
    return switches
  }

  /// The switches, if somebody has written them since this was last asked; one system call if not.
  mutating func changedSwitches() -> Switches? {
    if let file = seen {
      // A question that fails says nothing.
      guard (try? fileSystem.status(file))?.isLinked == false else { return nil }
      forgetSeen()
    }
    // Opened before it is read: one that is replaced in between is unlinked by the next time.
    seen = try? fileSystem.open("\(directory)/\(Self.switchesName)", .read)
    guard seen != nil else { return nil }
    let switches = readSwitches()
    // Nobody's will to be followed, and looked at again.
    if switches == nil { forgetSeen() }
    return switches
  }

  /// Lets go of the file that ``changedSwitches()`` keeps open.
  mutating func forgetSeen() {
    if let seen { fileSystem.close(seen) }
    seen = nil
  }

  /// Writes what changed; true when nothing is left to be written. What a disk refuses stays to be written.
  ///
  /// The rest is taken from the file: another process of the app may have switched it.
  @discardableResult
  mutating func save() -> Bool {
    guard unsaved != SwitchChanges() else { return true }
    // Or one process would undo what the other switches at the same moment.
    let lock = lockSwitches()
    defer { if let lock { fileSystem.close(lock) } }
    let before = loadSwitches()
    let switches = unsaved.applied(to: before)
    if switches != before {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      guard let data = try? encoder.encode(switches),
        (try? replace(Self.switchesName, with: [UInt8](data))) != nil
      else { return false }
    }
    unsaved = SwitchChanges()
    return true
  }

  /// Waits until another process has written its switches, a tenth of a second at most: it may have been suspended on
  /// the way, and this is the app's thread.
  private func lockSwitches() -> OpenFile? {
    guard let file = try? fileSystem.open("\(directory)/\(Self.switchesLockName)", .lock) else { return nil }
    for attempt in 0..<300 {
      guard let isLocked = try? fileSystem.lock(file), !isLocked else { break }
      if attempt < 200 { sched_yield() } else { usleep(1000) }
    }
    return file
  }

  /// What the delivery machine wanted to remember; `nil` when nothing, or when the file is damaged.
  func loadMemory() -> StoredMemory? {
    read(Self.memoryName).flatMap { try? JSONDecoder().decode(StoredMemory.self, from: Data($0)) }
  }

  /// Replaces what the delivery machine wants to remember; `nil` forgets it.
  func save(_ memory: StoredMemory?) {
    guard let memory else {
      try? fileSystem.remove("\(directory)/\(Self.memoryName)")
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(memory) else { return }
    try? replace(Self.memoryName, with: [UInt8](data))
  }

  /// The install's identifier, made at the first call on this directory.
  package func installID(using generator: inout FastGenerator) throws(FileError) -> UniqueID {
    try fileSystem.makeDirectory(directory)
    // Two processes may start for the first time together: whoever has the lock makes the identifier.
    for _ in 0..<1000 {
      if let known = readInstallID() { return known }
      let lock = try fileSystem.open("\(directory)/\(Self.installName).lock", .lock)
      defer { fileSystem.close(lock) }
      guard try fileSystem.lock(lock) else {
        sched_yield()
        continue
      }
      if let known = readInstallID() { return known }
      break
    }
    let made = UniqueID.random(using: &generator)
    try replace(Self.installName, with: Array(made.description.utf8))
    return made
  }

  private func readInstallID() -> UniqueID? {
    read(Self.installName).flatMap { UniqueID(String(decoding: $0, as: UTF8.self)) }
  }

  /// The content of a file; `nil` when there is none that could be read.
  package func read(_ name: String) -> [UInt8]? {
    guard let file = try? fileSystem.open("\(directory)/\(name)", .read) else { return nil }
    defer { fileSystem.close(file) }
    guard let size = try? fileSystem.status(file).size, (1...Self.maximumBytes).contains(size) else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = bytes.withUnsafeMutableBytes { try? fileSystem.read(into: $0, from: file, at: 0) }
    return count == size ? bytes : nil
  }

  /// Replaces a file by renaming.
  package func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
    let temporary = "\(directory)/\(name).\(temporaryName)"
    // Left over from a crash, if it is there at all.
    try? fileSystem.remove(temporary)
    let file = try fileSystem.open(temporary, .create)
    do throws(FileError) {
      defer { fileSystem.close(file) }
      var offset = 0
      while offset < bytes.count {
        offset += try write(bytes[offset...], to: file, at: offset)
      }
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
    try fileSystem.rename(temporary, to: "\(directory)/\(name)")
  }

  private func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileError) -> Int {
    let result: Result<Int, FileError> = bytes.withUnsafeBytes { buffer in
      do throws(FileError) {
        let count = try fileSystem.write(buffer, to: file, at: offset)
        // A disk that takes nothing and reports nothing would keep the caller here for ever.
        return count > 0 ? .success(count) : .failure(FileError(.write, number: ENOSPC))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
