import CTernZlib
import Foundation
import Warehouse

/// A file of an archive that has no usable symbols.
package struct RefusedSymbols: Sendable {
  /// Its name in the archive, as one line.
  package var name: String
  package var error: ObjectError
}

/// The files in an archive.
package struct StoredArchive: Sendable {
  /// The facts about each architecture of each file with symbols.
  package var stored: [StoredSymbols] = []
  /// The files that should have symbols, and have none that can be used.
  package var refused: [RefusedSymbols] = []
}

extension SymbolStore {
  /// The most bytes of all files with symbols in an archive, and the most of those files.
  private static let maximumBytes: UInt64 = 4 << 30
  private static let maximumFiles = 2_000
  /// The most bytes that a byte of the archive can become in a file that isn't small. Debug information becomes 3 to 10.
  private static let maximumRatio: UInt64 = 200
  private static let smallBytes: UInt64 = 1 << 20

  /// Stores all files with symbols of a zip archive, wherever in it they are. Other files are ignored, archives among them.
  ///
  /// Content alone decides what a file is, and only files with symbols are written, under random names.
  ///
  /// - Throws: ``ObjectError`` if there is none or the archive is damaged, ``WarehouseError`` if one can't be stored.
  func storeArchive(_ source: ObjectSource, app: AppID) throws -> StoredArchive {
    let archive = try ZipArchive(source)
    var result = StoredArchive()
    var bytes: UInt64 = 0
    for entry in archive.entries {
      let name = ObjectFile.name(entry.fileName)
      do {
        let content = try archive.content(of: entry, in: source)
        guard try Self.isObject(entry, content) else { continue }
        // The size in an entry is its author's word: a sum of such sizes could overflow.
        guard entry.bytes <= Self.maximumBytes - bytes,
          result.stored.count + result.refused.count < Self.maximumFiles
        else {
          throw ObjectError.tooManyFiles
        }
        bytes += entry.bytes
        let file = try newFile()
        try Self.unpack(entry, content) { try file.append($0) }
        result.stored += try store(file, app: app, image: name)
      } catch let error as ObjectError where error != .tooManyFiles {
        // Stripped programs and libraries are beside the dSYMs in most archives.
        if [.damaged, .noBuildID, .unreadable].contains(error.code) {
          result.refused.append(RefusedSymbols(name: name, error: error))
        }
      }
    }
    guard !result.stored.isEmpty || !result.refused.isEmpty else { throw ObjectError.noSymbolsInArchive }
    return result
  }

  /// Returns true if a file begins like one with symbols.
  private static func isObject(_ entry: ZipArchive.Entry, _ content: ObjectSource) throws(ObjectError) -> Bool {
    let part = try content.bytes(at: 0, count: UInt64(min(content.count, 4_096)), "a file of the archive").bytes
    var head: [UInt8] = []
    switch entry.form {
    case .stored: head = Array(part.prefix(4))
    case .deflated:
      // The rest isn't there, so it ends in the middle.
      try? part.withUnsafeBytes { part in
        try GzipInflater(isRaw: true).inflate(part) { if head.count < 4 { head += $0.prefix(4) } }
      }
    }
    return ObjectFile.isObject(Array(head.prefix(4)))
  }

  /// Calls `body` with the content of a file, part by part; throws ``ObjectError`` if it isn't what the archive says.
  private static func unpack(
    _ entry: ZipArchive.Entry, _ content: ObjectSource, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let damaged = ObjectError.damaged("a file of the archive isn't as long as its list says, or has changed")
    guard entry.bytes <= smallBytes || entry.bytes / maximumRatio <= entry.packedBytes else { throw damaged }
    var (bytes, checksum) = (UInt64(0), crc32(0, nil, 0))
    func take(_ part: UnsafeRawBufferPointer) throws {
      bytes += UInt64(part.count)
      guard bytes <= entry.bytes else { throw damaged }
      checksum = crc32(checksum, part.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(clamping: part.count))
      try body(part)
    }
    let inflater = entry.form == .deflated ? GzipInflater(isRaw: true) : nil
    let step = 256 << 10
    for position in stride(from: 0, to: content.count, by: step) {
      let part = try content.bytes(
        at: UInt64(position), count: UInt64(min(step, content.count - position)), "a file of the archive")
      try part.bytes.withUnsafeBytes { part in
        guard let inflater else { return try take(part) }
        var failure: (any Error)?
        do {
          try inflater.inflate(part) { part in
            do { try take(part) } catch {
              failure = error
              throw error
            }
          }
        } catch {
          throw failure ?? damaged
        }
      }
    }
    guard bytes == entry.bytes, checksum == UInt(entry.checksum) else { throw damaged }
  }
}
