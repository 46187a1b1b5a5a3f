import Foundation
import RowFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file of the ``WorkJournal``: the record of one piece of work, or spaces.
///
/// A file that can't be written is deleted, since half a record would tell nothing.
struct WorkRecord: Sendable {
  private let path: String
  private let descriptor: Int32
  /// The bytes of the record; 0 while there is none.
  private var length = 0

  /// Creates the file; `nil` if that fails, as on a full disk.
  init?(path: String) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
  }

  /// Returns the file with the record of some work; `nil` if it can't be written. Then the work goes on without it.
  func written(_ work: DerivedWork) -> WorkRecord? {
    let json = (try? JSONEncoder().encode(work)) ?? Data()
    guard write(json) else { return nil }
    var record = self
    record.length = json.count
    return record
  }

  /// Returns the file without its record, of which no byte stays on disk: questions name persons.
  func blank() -> WorkRecord? {
    guard write(Data(repeating: UInt8(ascii: " "), count: length)) else { return nil }
    var record = self
    record.length = 0
    return record
  }

  /// Ends the use of the file.
  func delete() {
    unlink(path)
    close(descriptor)
  }

  private func write(_ bytes: Data) -> Bool {
    let isWritten = bytes.withUnsafeBytes { (try? StoredFile.write($0, to: descriptor, at: 0, path)) != nil }
    if !isWritten { delete() }
    return isWritten
  }
}
