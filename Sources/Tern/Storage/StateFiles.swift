import Foundation
import TernEvents
package import TernLog
package import TernValues

/// The small files in a queue's directory: the install's identifier, the settings and the delivery memory.
///
/// They are replaced by renaming, so that a crash never leaves a partial file.
package struct StateFiles: Sendable {
  let directory: String
  let fileSystem: any FileSystem
  /// True if the user's decisions are flushed to the disk.
  let isDurable: Bool
  /// Changes not yet in the file.
  var unsaved = SettingsPatch()
  /// The number of opt-outs in the file that this client has applied.
  var followedOptOuts = 0
  /// The number of opt-outs in the file when this client last wrote it.
  private(set) var writtenOptOuts = 0
  /// True if the settings have not been readable since the client was created: recording may be disabled.
  var areSettingsUnknown = false
  /// The provisional identity number in that case.
  private(set) var unknownEpoch: UInt32?
  /// The suffix of temporary files, since another process may write its own at the same time.
  private let temporaryName: String
  private var generator: FastGenerator
  /// The settings file last read, kept open: a replacement unlinks it.
  private var seen: OpenFile?

  private static let installName = "install-id"
  private static let settingsName = "settings.json"
  private static let decisionsName = "opt-outs.json"
  private static let settingsLockName = "settings.lock"
  private static let memoryName = "delivery.json"
  private static let maximumBytes = 64 << 10

  /// True if changes wait for the disk, or for another process that is changing the settings.
  var hasUnsaved: Bool { unsaved != SettingsPatch() }

  /// Creates a value without accessing the disk.
  package init(directory: String, fileSystem: any FileSystem, isDurable: Bool, seed: UInt64) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.isDurable = isDurable
    temporaryName = String(seed, radix: 36)
    generator = FastGenerator(seed: seed)
  }

  /// Reads the settings; returns the defaults if the file is missing. If it is damaged, only the user's decisions are
  /// known, from their own file: forgetting the user is better than failing to start, but recording against the user's
  /// will is not. So nothing is recorded if both are damaged. A user who never decided anything has no such file.
  ///
  /// - Throws: `FileError` if a file may exist but is not readable at the moment.
  func loadSettings() throws(FileError) -> PersistedSettings {
    if let settings = try settings(in: Self.settingsName) { return settings }
    guard exists(Self.settingsName) else { return PersistedSettings() }
    if let decisions = try settings(in: Self.decisionsName)?.decisions { return decisions }
    return PersistedSettings(isEnabled: !exists(Self.decisionsName))
  }

  /// False if there is no such file, or none that can be opened.
  private func exists(_ name: String) -> Bool {
    guard let file = try? fileSystem.open("\(directory)/\(name)", .read) else { return false }
    fileSystem.close(file)
    return true
  }

  /// The settings at the creation of a client.
  mutating func firstSettings() -> PersistedSettings {
    var settings = PersistedSettings()
    do throws(FileError) {
      if let changed = changedSettings() { settings = changed } else { settings = try loadSettings() }
    } catch {
      areSettingsUnknown = true
      // A random number is almost certainly unused; the real one is read later.
      settings.epoch = UInt32(truncatingIfNeeded: generator.next() >> 34)
      unknownEpoch = settings.epoch
    }
    followedOptOuts = settings.optOuts ?? 0
    return settings
  }

  /// Returns settings that this client has not applied yet, if any.
  mutating func newSettings() -> PersistedSettings? {
    if let changed = changedSettings() { return changed }
    // A missing file settles the question too: the defaults apply.
    return areSettingsUnknown ? try? loadSettings() : nil
  }

  /// Reads a file of settings; returns `nil` if it is missing or damaged.
  private func settings(in name: String) throws(FileError) -> PersistedSettings? {
    guard let bytes = try read(name) else { return nil }
    return try? JSONDecoder().decode(PersistedSettings.self, from: Data(bytes))
  }

  /// Returns the settings if they were written since the last call; otherwise it costs one system call.
  mutating func changedSettings() -> PersistedSettings? {
    if let file = seen {
      // A failed call proves nothing.
      guard (try? fileSystem.status(file))?.isLinked == false else { return nil }
      forgetSeen()
    }
    // Open before reading: a replacement in between is noticed the next time.
    seen = try? fileSystem.open("\(directory)/\(Self.settingsName)", .read)
    guard seen != nil else { return nil }
    let settings = (try? settings(in: Self.settingsName)) ?? nil
    // If unreadable, try again next time.
    if settings == nil { forgetSeen() }
    return settings
  }

  /// Closes the file that ``changedSettings()`` keeps open.
  mutating func forgetSeen() {
    if let seen { fileSystem.close(seen) }
    seen = nil
  }

  /// Saves the changes; returns true if none are left unsaved. Changes that the disk refuses are kept for later.
  ///
  /// Other settings are preserved from the file, since another process of the app may have changed them.
  @discardableResult
  mutating func save() -> Bool {
    !hasUnsaved || write() != nil
  }

  /// Saves the changes and returns the settings in the file; `nil` if the disk refuses or another process is saving.
  private mutating func write() -> PersistedSettings? {
    // Without the lock, one process would undo the simultaneous change of another. Don't wait for it: this may be the
    // app's thread, and its owner may be suspended.
    guard let lock = try? fileSystem.open("\(directory)/\(Self.settingsLockName)", .lock) else { return nil }
    defer { fileSystem.close(lock) }
    guard (try? fileSystem.lock(lock)) == true,
      // An unreadable file may contain other settings: do not overwrite it.
      let before = try? loadSettings()
    else { return nil }
    let settings = unsaved.applied(to: before)
    if settings != before {
      let isFlushed = isDurable && (settings.holdBack || before.holdBack)
      // First, so that it is never older than the settings.
      if settings.decisions != before.decisions {
        guard replace(Self.decisionsName, with: settings.decisions, isFlushed: isFlushed) else { return nil }
      }
      guard replace(Self.settingsName, with: settings, isFlushed: isFlushed) else { return nil }
    }
    followedOptOuts &+= unsaved.optOuts
    writtenOptOuts = settings.optOuts ?? 0
    unsaved = SettingsPatch()
    return settings
  }

  private func replace(_ name: String, with settings: PersistedSettings, isFlushed: Bool) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(settings) else { return false }
    return (try? replace(name, with: [UInt8](data), isFlushed: isFlushed)) != nil
  }

  /// Saves a new user and returns the identity's number, which no other process uses.
  mutating func save(user: String?, after epoch: UInt32) -> UInt32 {
    unsaved.user = SettingsPatch.User(name: user, epoch: epoch &+ 1)
    // The number was assigned under the lock.
    if let settings = write() { return settings.epoch }
    // A random number well ahead, which no other process is likely to use before this change is saved.
    let drawn = epoch &+ UInt32(2 + generator.next() % (1 << 20))
    unsaved.user?.epoch = drawn
    return drawn
  }

  /// Reads the stored delivery memory; returns `nil` if it is missing or damaged.
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

  /// Returns the install's identifier on disk; if there is none, writes and returns `made`.
  ///
  /// - Throws: `FileError`, also if there may be one that is not readable at the moment: a second one would count as a
  ///   new install.
  package func installID(orElse made: UniqueID) throws(FileError) -> UniqueID {
    try fileSystem.makeDirectory(directory)
    if let known = try readInstallID() { return known }
    let path = "\(directory)/\(Self.installName)"
    let temporary = try writeTemporary(Self.installName, Array(made.description.utf8), isFlushed: false)
    defer { try? fileSystem.remove(temporary) }
    do throws(FileError) {
      // Two processes may start for the first time together: only one of them can link its file.
      try fileSystem.link(temporary, to: path)
    } catch {
      if error.isExisting, let known = try readInstallID() { return known }
      // The file is damaged, or this file system has no links.
      try fileSystem.rename(temporary, to: path)
    }
    return made
  }

  /// Saves the settings, then an identifier made elsewhere.
  ///
  /// The order ensures that an interrupted process repeats both.
  package mutating func begin(as install: UniqueID) {
    guard (try? fileSystem.makeDirectory(directory)) != nil, save() else { return }
    try? replace(Self.installName, with: Array(install.description.utf8))
  }

  /// True if there is an identifier, or may be one that is not readable at the moment.
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

  /// Reads a file; returns `nil` if it does not exist or cannot be one of ours, and throws if that is unknown.
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
    let temporary = try writeTemporary(name, bytes, isFlushed: isFlushed)
    try fileSystem.rename(temporary, to: "\(directory)/\(name)")
    if isFlushed { try fileSystem.synchronize(directory) }
  }

  /// Writes a file that is to become `name`, and returns its path.
  private func writeTemporary(_ name: String, _ bytes: [UInt8], isFlushed: Bool) throws(FileError) -> String {
    let temporary = "\(directory)/\(name).\(temporaryName)"
    // A crash may have left one behind.
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
    return temporary
  }

  private func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileError) -> Int {
    let result: Result<Int, FileError> = bytes.withUnsafeBytes { buffer in
      do throws(FileError) {
        let count = try fileSystem.write(buffer, to: file, at: offset)
        // A disk that neither writes nor fails would loop forever.
        return count > 0 ? .success(count) : .failure(FileError(.write, number: ENOSPC))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
