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
    guard ledger.isDirty, let home else { return }
    if ledgerHome != home.path { loadLedger() }
    guard ledgerHome == home.path else { return }
    let path = home.path(DropLedger.fileName)
    let slot = ledger.nextSlot()
    if let file = try? fileSystem.open(path, .update) {
      defer { fileSystem.close(file) }
      let written = slot.bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: slot.offset) }
      ledger.isDirty = written != slot.bytes.count
    } else if let file = try? fileSystem.open(path, .create) {
      defer { fileSystem.close(file) }
      // Write both slots, so that neither needs disk space later.
      let other = [UInt8](repeating: 0, count: DropLedger.slotBytes)
      let bytes = slot.offset == 0 ? slot.bytes + other : other + slot.bytes
      let written = bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: 0) }
      ledger.isDirty = written != bytes.count
    }
  }
}
