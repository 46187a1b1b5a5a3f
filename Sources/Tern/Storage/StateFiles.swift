import Foundation
package import TernEvents
package import TernLog

/// The small files in a queue's directory: the install's identifier, the settings, what delivery remembers.
///
/// They are replaced by renaming, so that a crash leaves the old or the new one and never half of one.
package struct StateFiles: Sendable {
  let directory: String
  let fileSystem: any FileSystem
  /// Whether the user's will is flushed to the medium.
  let isDurable: Bool
  /// What this client changed and the file does not say yet.
  var unsaved = SettingsPatch()
  /// The opt-outs that this client has done or followed, as the file counts them.
  var followedOptOuts = 0
  /// As the file counted them when this client last wrote it.
  private(set) var writtenOptOuts = 0
  /// The switches could not be read when the client was made, so nobody knows what the user wants.
  var areSettingsUnknown = false
  /// The number of the identity until then, if they could not.
  private(set) var unknownEpoch: UInt32?
  /// Names temporary files: another process may be writing its own at the same time.
  private let temporaryName: String
  private var generator: FastGenerator
  /// The switches as they were last looked at, kept open: whoever replaces the file unlinks this one.
  private var seen: OpenFile?

  private static let installName = "install-id"
  private static let settingsName = "settings.json"
  private static let settingsLockName = "settings.lock"
  private static let memoryName = "delivery.json"
  private static let maximumBytes = 64 << 10

  /// Looks at nothing yet.
  package init(directory: String, fileSystem: any FileSystem, isDurable: Bool, seed: UInt64) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.isDurable = isDurable
    temporaryName = String(seed, radix: 36)
    generator = FastGenerator(seed: seed)
  }

  /// The switches; the defaults when there are none, or when they are damaged: better a forgotten user than an app that
  /// cannot start.
  ///
  /// - Throws: `FileError` when there may well be some, and the disk does not say at the moment.
  func loadSettings() throws(FileError) -> PersistedSettings { try readSettings() ?? PersistedSettings() }

  /// The switches that a client begins on.
  mutating func firstSettings() -> PersistedSettings {
    var settings = PersistedSettings()
    do throws(FileError) {
      if let changed = changedSettings() { settings = changed } else { settings = try loadSettings() }
    } catch {
      areSettingsUnknown = true
      // None that is in use: it will turn out which are.
      settings.epoch = UInt32(truncatingIfNeeded: generator.next()) & RecordEpoch.identityMask
      unknownEpoch = settings.epoch
    }
    followedOptOuts = settings.optOuts ?? 0
    return settings
  }

  /// The switches to be followed, if there are any that this client has not seen.
  mutating func newSettings() -> PersistedSettings? {
    if let changed = changedSettings() { return changed }
    // There may be none, which is worth knowing too.
    return areSettingsUnknown ? try? loadSettings() : nil
  }

  private func readSettings() throws(FileError) -> PersistedSettings? {
    guard let bytes = try read(Self.settingsName),
      var settings = try? JSONDecoder().decode(PersistedSettings.self, from: Data(bytes))
    else { return nil }
    // Of the highest numbers the log makes other use.
    settings.epoch &= RecordEpoch.identityMask
    return settings
  }

  /// The settings, if somebody has written them since this was last asked; one system call if not.
  mutating func changedSettings() -> PersistedSettings? {
    if let file = seen {
      // A question that fails says nothing.
      guard (try? fileSystem.status(file))?.isLinked == false else { return nil }
      forgetSeen()
    }
    // Opened before it is read: one that is replaced in between is unlinked by the next time.
    seen = try? fileSystem.open("\(directory)/\(Self.settingsName)", .read)
    guard seen != nil else { return nil }
    let settings = (try? readSettings()) ?? nil
    // Nobody's will to be followed, and looked at again.
    if settings == nil { forgetSeen() }
    return settings
  }

  /// Lets go of the file that ``changedSettings()`` keeps open.
  mutating func forgetSeen() {
    if let seen { fileSystem.close(seen) }
    seen = nil
  }

  /// Writes what changed; true when nothing is left to be written. What a disk refuses stays to be written.
  ///
  /// The rest is taken from the file: another process of the app may have switched it.
  @discardableResult
  mutating func save() -> Bool { unsaved == SettingsPatch() || write() != nil }

  /// Writes what changed, and returns what the file says then; `nil` when the disk refuses.
  private mutating func write() -> PersistedSettings? {
    // Or one process would undo what the other switches at the same moment.
    let (lock, isAlone) = lockSettings()
    defer { if let lock { fileSystem.close(lock) } }
    // Never over a file that may say more than we know.
    guard let before = try? loadSettings() else { return nil }
    if !isAlone { drawEpoch(after: before.epoch) }
    let settings = unsaved.applied(to: before)
    if settings != before {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      guard let data = try? encoder.encode(settings) else { return nil }
      let isFlushed = isDurable && (settings.holdBack || before.holdBack)
      guard (try? replace(Self.settingsName, with: [UInt8](data), isFlushed: isFlushed)) != nil else { return nil }
    }
    followedOptOuts &+= unsaved.optOuts
    writtenOptOuts = settings.optOuts ?? 0
    unsaved = SettingsPatch()
    return settings
  }

  /// Writes down a new user; returns the number of the identity, which no other process gives to one of its own.
  mutating func save(user: String?, after epoch: UInt32) -> UInt32 {
    unsaved.user = SettingsPatch.User(name: user, epoch: epoch &+ 1)
    // Counted under the lock, and read from what was written.
    if let settings = write() { return settings.epoch }
    drawEpoch(after: epoch)
    return unsaved.user?.epoch ?? epoch &+ 1
  }

  /// Where nobody can count, chance keeps numbers apart.
  private mutating func drawEpoch(after epoch: UInt32) {
    guard let user = unsaved.user else { return }
    let drawn = max(epoch, user.epoch) &+ UInt32(1 + generator.next() % (1 << 20))
    unsaved.user?.epoch = drawn & RecordEpoch.identityMask
  }

  /// Waits until another process has written its settings, a tenth of a second at most: it may have been suspended on
  /// the way, and this is the app's thread.
  private func lockSettings() -> (file: OpenFile?, isLocked: Bool) {
    guard let file = try? fileSystem.open("\(directory)/\(Self.settingsLockName)", .lock) else { return (nil, false) }
    for attempt in 0..<300 {
      guard let isLocked = try? fileSystem.lock(file) else { break }
      if isLocked { return (file, true) }
      if attempt < 200 { sched_yield() } else { usleep(1000) }
    }
    return (file, false)
  }

  /// What the delivery machine wanted to remember; `nil` when nothing, or when the file is damaged.
  func loadMemory() -> StoredMemory? {
    ((try? read(Self.memoryName)) ?? nil).flatMap { try? JSONDecoder().decode(StoredMemory.self, from: Data($0)) }
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

  /// The install's identifier: the one on disk, or else this one, which is written there.
  ///
  /// - Throws: `FileError` also when there may be one that the disk does not show at the moment: it is the app's, and
  ///   another one would be a new user.
  package func installID(orElse made: UniqueID) throws(FileError) -> UniqueID {
    try fileSystem.makeDirectory(directory)
    // Two processes may start for the first time together: whoever has the lock makes the identifier.
    for _ in 0..<1000 {
      if let known = try readInstallID() { return known }
      let lock = try fileSystem.open("\(directory)/\(Self.installName).lock", .lock)
      defer { fileSystem.close(lock) }
      guard try fileSystem.lock(lock) else {
        sched_yield()
        continue
      }
      if let known = try readInstallID() { return known }
      break
    }
    try replace(Self.installName, with: Array(made.description.utf8))
    return made
  }

  /// Writes the switches that changed and then an identifier made elsewhere.
  ///
  /// In that order: whoever is stopped in between does both again.
  package mutating func begin(as install: UniqueID) {
    guard (try? fileSystem.makeDirectory(directory)) != nil, save() else { return }
    try? replace(Self.installName, with: Array(install.description.utf8))
  }

  /// Whether there is an identifier, or may be one that the disk does not show at the moment.
  var hasInstallID: Bool {
    do throws(FileError) {
      return try readInstallID() != nil
    } catch {
      return true
    }
  }

  private func readInstallID() throws(FileError) -> UniqueID? {
    try read(Self.installName).flatMap { UniqueID(String(decoding: $0, as: UTF8.self)) }
  }

  /// The bytes of a file; `nil` when there is none, or when it is none of ours. An error says that nobody knows.
  package func read(_ name: String) throws(FileError) -> [UInt8]? {
    let file: OpenFile
    do throws(FileError) {
      file = try fileSystem.open("\(directory)/\(name)", .read)
    } catch {
      if error.isMissing || error.isIrregular { return nil }
      throw error
    }
    defer { fileSystem.close(file) }
    let size = try fileSystem.status(file).size
    guard (1...Self.maximumBytes).contains(size) else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(FileError) -> Int in try fileSystem.read(into: buffer, from: file, at: 0) }
    }
    return try result.get() == size ? bytes : nil
  }

  /// Replaces a file by renaming.
  package func replace(_ name: String, with bytes: [UInt8], isFlushed: Bool = false) throws(FileError) {
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
      if isFlushed { try fileSystem.synchronize(temporary) }
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
    try fileSystem.rename(temporary, to: "\(directory)/\(name)")
    if isFlushed { try fileSystem.synchronize(directory) }
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
