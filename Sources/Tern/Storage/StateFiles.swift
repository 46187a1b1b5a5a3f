import Foundation
package import TernEvents
package import TernLog

/// The small files in a queue's directory: the install's identifier, the settings, what delivery remembers.
///
/// They are replaced by renaming, so that a crash leaves the old or the new one and never half of one.
package struct StateFiles: Sendable {
  let directory: String
  let fileSystem: any FileSystem
  /// True if the user's decisions are flushed to the disk.
  let isDurable: Bool
  /// Changes that the file does not contain yet.
  var unsaved = SettingsPatch()
  /// Changes written without the lock, and the settings written: another process may have overwritten them.
  private var unconfirmed: (patch: SettingsPatch, written: PersistedSettings)?
  /// The opt-outs that this client has performed or followed, as the file counts them.
  var followedOptOuts = 0
  /// The file's count of opt-outs when this client last wrote it.
  private(set) var writtenOptOuts = 0
  /// The settings could not be read when the client was created: recording may be disabled.
  var areSettingsUnknown = false
  /// The provisional number of the identity in that case.
  private(set) var unknownEpoch: UInt32?
  /// Distinguishes temporary files: another process may write its own at the same time.
  private let temporaryName: String
  private var generator: FastGenerator
  /// The last settings file read, kept open: a replacement unlinks it.
  private var seen: OpenFile?

  private static let installName = "install-id"
  private static let settingsName = "settings.json"
  private static let settingsLockName = "settings.lock"
  private static let memoryName = "delivery.json"
  private static let maximumBytes = 64 << 10

  /// True if changes were written without the lock and may have been overwritten.
  var isUnconfirmed: Bool { unconfirmed != nil }
  /// Changes of this client that another process may not know: they take precedence over the file.
  var pending: SettingsPatch { unconfirmed?.patch.merging(unsaved) ?? unsaved }

  /// Creates the value without touching the disk.
  package init(directory: String, fileSystem: any FileSystem, isDurable: Bool, seed: UInt64) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.isDurable = isDurable
    temporaryName = String(seed, radix: 36)
    generator = FastGenerator(seed: seed)
  }

  /// The settings; the defaults if there are none or they are damaged: better a forgotten user than an app that cannot
  /// start.
  ///
  /// - Throws: `FileError` if they may exist and cannot be read at the moment.
  func loadSettings() throws(FileError) -> PersistedSettings { try readSettings() ?? PersistedSettings() }

  /// The settings that a client begins with.
  mutating func firstSettings() -> PersistedSettings {
    var settings = PersistedSettings()
    do throws(FileError) {
      if let changed = changedSettings() { settings = changed } else { settings = try loadSettings() }
    } catch {
      areSettingsUnknown = true
      // A random number is not in use; the real one is read later.
      settings.epoch = UInt32(truncatingIfNeeded: generator.next()) & RecordEpoch.identityMask
      unknownEpoch = settings.epoch
    }
    followedOptOuts = settings.optOuts ?? 0
    return settings
  }

  /// Settings that this client has not followed yet.
  mutating func newSettings() -> PersistedSettings? {
    if let changed = changedSettings() { return changed }
    // A missing file is an answer too.
    return areSettingsUnknown ? try? loadSettings() : nil
  }

  private func readSettings() throws(FileError) -> PersistedSettings? {
    guard let bytes = try read(Self.settingsName),
      var settings = try? JSONDecoder().decode(PersistedSettings.self, from: Data(bytes))
    else { return nil }
    // The log uses the highest numbers otherwise.
    settings.epoch &= RecordEpoch.identityMask
    return settings
  }

  /// The settings if they were written since the last call; one system call if not.
  mutating func changedSettings() -> PersistedSettings? {
    if let file = seen {
      // A failed look proves nothing.
      guard (try? fileSystem.status(file))?.isLinked == false else { return nil }
      forgetSeen()
    }
    // Opened before it is read: a replacement in between is noticed the next time.
    seen = try? fileSystem.open("\(directory)/\(Self.settingsName)", .read)
    guard seen != nil else { return nil }
    let settings = (try? readSettings()) ?? nil
    // Unreadable: looked at again.
    if settings == nil { forgetSeen() }
    return settings
  }

  /// Closes the file that ``changedSettings()`` keeps open.
  mutating func forgetSeen() {
    if let seen { fileSystem.close(seen) }
    seen = nil
  }

  /// Saves the changes; returns true if none is left unsaved. Changes that the disk refuses stay to be saved.
  ///
  /// Everything else is taken from the file: another process of the app may have changed it.
  @discardableResult
  mutating func save() -> Bool {
    unsaved == SettingsPatch() && unconfirmed == nil || write() != nil
  }

  /// Saves the changes and returns the settings in the file; `nil` if the disk refuses.
  private mutating func write() -> PersistedSettings? {
    // Without the lock one process would undo the simultaneous change of another.
    let (lock, isAlone) = lockSettings()
    defer { if let lock { fileSystem.close(lock) } }
    // A file that cannot be read may say more than we know: it must not be overwritten.
    guard let before = try? loadSettings() else { return nil }
    if isAlone, let own = unconfirmed {
      if before != own.written { unsaved = own.patch.merging(unsaved) }
      unconfirmed = nil
    }
    if unsaved == SettingsPatch() { return before }
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
    if !isAlone { unconfirmed = (pending, settings) }
    unsaved = SettingsPatch()
    return settings
  }

  /// Saves a new user and returns the number of the identity, which no other process uses for one of its own.
  mutating func save(user: String?, after epoch: UInt32) -> UInt32 {
    unsaved.user = SettingsPatch.User(name: user, epoch: epoch &+ 1)
    // Counted under the lock, and read from what was written.
    if let settings = write() { return settings.epoch }
    drawEpoch(after: epoch)
    return unsaved.user?.epoch ?? epoch &+ 1
  }

  /// Draws the number of the identity at random, far ahead, where it cannot be counted under the lock.
  private mutating func drawEpoch(after epoch: UInt32) {
    guard let user = unsaved.user else { return }
    let drawn = max(epoch, user.epoch) &+ UInt32(1 + generator.next() % (1 << 20))
    unsaved.user?.epoch = drawn & RecordEpoch.identityMask
  }

  /// Tries to lock the settings, without waiting: this may be the app's thread, and the owner of the lock may be
  /// suspended.
  private func lockSettings() -> (file: OpenFile?, isLocked: Bool) {
    guard let file = try? fileSystem.open("\(directory)/\(Self.settingsLockName)", .lock) else { return (nil, false) }
    return (file, (try? fileSystem.lock(file)) ?? false)
  }

  /// The stored delivery memory; `nil` if there is none or the file is damaged.
  func loadMemory() -> StoredMemory? {
    ((try? read(Self.memoryName)) ?? nil).flatMap { try? JSONDecoder().decode(StoredMemory.self, from: Data($0)) }
  }

  /// Replaces the stored delivery memory; `nil` removes it.
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

  /// The install's identifier on disk; if there is none, `made` is written and returned.
  ///
  /// - Throws: `FileError` also if there may be one that cannot be read at the moment: another one would count as a new
  ///   user.
  package func installID(orElse made: UniqueID) throws(FileError) -> UniqueID {
    try fileSystem.makeDirectory(directory)
    // Two processes may start for the first time together: the owner of the lock writes the identifier.
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

  /// Saves the settings and then an identifier made elsewhere.
  ///
  /// In that order, so that an interrupted process does both again.
  package mutating func begin(as install: UniqueID) {
    guard (try? fileSystem.makeDirectory(directory)) != nil, save() else { return }
    try? replace(Self.installName, with: Array(install.description.utf8))
  }

  /// True if there is an identifier, or may be one that cannot be read at the moment.
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

  /// The bytes of a file; `nil` if there is none or it cannot be ours. Throws if that cannot be decided.
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
        // A disk that neither writes nor fails would keep the caller here for ever.
        return count > 0 ? .success(count) : .failure(FileError(.write, number: ENOSPC))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
