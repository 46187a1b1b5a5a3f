import TernEvents

extension LogState {
  /// Takes over what earlier processes counted here.
  ///
  /// When the file cannot be read now, it is tried again before the first counts are written over it.
  mutating func loadLedger() {
    guard let home else { return }
    do throws(FileError) {
      if let stored = try readLedger(of: home) {
        // Our own, when only the lock or a segment was removed: not to be added to itself.
        if ledgerHome != home.path {
          ledger.merge(stored)
          recountTracked()
        }
      } else {
        // Written at once, as on a full disk only bytes that are there already can be written.
        ledger.isDirty = true
      }
      ledgerHome = home.path
    } catch {}
  }

  /// The counts in a directory; `nil` when it has none.
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

  /// Writes the drop counts if they changed; best effort.
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
      // Both slots, so that neither needs room on the disk later.
      let other = [UInt8](repeating: 0, count: DropLedger.slotBytes)
      let bytes = slot.offset == 0 ? slot.bytes + other : other + slot.bytes
      let written = bytes.withUnsafeBytes { try? fileSystem.write($0, to: file, at: 0) }
      ledger.isDirty = written != bytes.count
    }
  }
}
