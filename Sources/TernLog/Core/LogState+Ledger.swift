import TernBase
import TernEvents

extension LogState {
  /// Loads the counts of earlier processes.
  ///
  /// If the file cannot be read now, it is read again before it is first overwritten.
  mutating func loadLedger() {
    guard let home else { return }
    do throws(FileError) {
      if let stored = try readLedger(of: home) {
        // If only the lock or a segment was removed, these counts are our own: do not add them twice.
        if ledgerHome != home.path {
          ledger.merge(stored)
          recountTracked()
        }
      } else {
        // Write the file at once: on a full disk only existing bytes can be overwritten.
        ledger.isDirty = true
      }
      ledgerHome = home.path
    } catch {}
  }

  /// Reads the counts of a directory; `nil` if it has none.
  func readLedger(of directory: LogDirectory) throws(FileError) -> DropLedger? {
    let file: OpenFile
    do throws(FileError) {
      file = try fileSystem.open(directory.path(DropLedger.fileName), .read)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    defer { fileSystem.close(file) }
    let buffer = scratch.reserve(DropLedger.fileBytes)
    let count = try fileSystem.read(into: buffer, from: file, at: 0)
    return DropLedger(file: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  /// Writes the drop counts if they changed; they stay dirty if that fails.
  mutating func saveLedger() {
    if let save = beginSavingLedger(), !save.write(fileSystem) { ledger.isDirty = true }
  }

  /// Returns the drop counts to write, which count as saved from now on; `nil` if they have not changed.
  mutating func beginSavingLedger() -> LedgerSave? {
    guard ledger.isDirty, let home else { return nil }
    if ledgerHome != home.path { loadLedger() }
    guard ledgerHome == home.path else { return nil }
    return LedgerSave(path: home.path(DropLedger.fileName), ledger: ledger.beginSave())
  }
}

/// Drop counts to write to their file.
struct LedgerSave {
  let path: String
  let ledger: DropLedger

  /// Returns true if the counts were written.
  func write(_ fileSystem: any FileSystem) -> Bool {
    let slot = ledger.slot
    if let file = try? fileSystem.open(path, .update) {
      defer { fileSystem.close(file) }
      return slot.bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: slot.offset) } == slot.bytes.count
    }
    guard let file = try? fileSystem.open(path, .create) else { return false }
    defer { fileSystem.close(file) }
    // Write both slots, so that neither needs disk space later.
    let other = [UInt8](repeating: 0, count: DropLedger.slotBytes)
    let bytes = slot.offset == 0 ? slot.bytes + other : other + slot.bytes
    return bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: 0) } == bytes.count
  }
}

extension EventLog {
  /// Saves the counts if they changed, so that a crash does not lose them.
  ///
  /// Writes outside the lock of the state, because `append` would wait for it.
  package func saveCounts() {
    savingCounts.withLock { _ in
      guard let save = state.withLock({ $0.beginSavingLedger() }), !save.write(fileSystem) else { return }
      state.withLock { $0.ledger.isDirty = true }
    }
  }
}
