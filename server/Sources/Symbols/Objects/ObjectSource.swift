import Foundation

/// The bytes of a file, or of a part of one, that may be hostile: every access is checked.
package struct ObjectSource {
  /// The number of bytes.
  package let count: Int
  private let start: Int
  private let load: (_ position: Int, _ count: Int) -> [UInt8]

  /// The most bytes of one access, more than any table that is read has.
  private static let maximumBytes = 4 << 20

  /// Creates a source of bytes in memory.
  package init(_ bytes: [UInt8]) {
    self.init(count: bytes.count, start: 0) { Array(bytes[$0..<$0 + $1]) }
  }

  /// Creates a source of a file's bytes. The file must stay open, and should not become shorter.
  package init(descriptor: Int32) {
    var status = stat()
    let count = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    self.init(count: count, start: 0) { position, count in
      [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count {
          let part = pread(
            descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(position + filled))
          if part < 0, errno == EINTR { continue }
          guard part > 0 else { break }
          filled += part
        }
      }
    }
  }

  private init(count: Int, start: Int, load: @escaping (Int, Int) -> [UInt8]) {
    (self.count, self.start, self.load) = (count, start, load)
  }

  /// Returns a part of the bytes; throws ``ObjectError`` if there is no such part.
  func part(at position: UInt64, count length: UInt64, _ name: String) throws(ObjectError) -> ObjectSource {
    guard let position = Int(exactly: position), let length = Int(exactly: length), position <= count,
      length <= count - position
    else { throw .damaged("\(name) ends outside of it") }
    return ObjectSource(count: length, start: start + position, load: load)
  }

  /// Reads bytes; throws ``ObjectError`` if they aren't all there, or too many.
  func bytes(at position: UInt64, count length: UInt64, _ name: String) throws(ObjectError) -> ObjectFields {
    let part = try part(at: position, count: length, name)
    guard part.count <= Self.maximumBytes else { throw .damaged("\(name) is too large") }
    let bytes = load(part.start, part.count)
    guard bytes.count == part.count else { throw .damaged("\(name) ends outside of it") }
    return ObjectFields(bytes: bytes, name: name)
  }

  /// Reads records of equal size, some at a time, until `body` returns false. It gets bytes and the position of a record in them.
  func forEachRecord(
    at position: UInt64, count: UInt64, bytes recordBytes: Int, _ name: String,
    _ body: (ObjectFields, Int) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    let (total, isTooLarge) = count.multipliedReportingOverflow(by: UInt64(recordBytes))
    guard !isTooLarge else { throw .damaged("\(name) ends outside of it") }
    let records = try part(at: position, count: total, name)
    let step = (256 << 10) / recordBytes * recordBytes
    for start in stride(from: 0, to: records.count, by: step) {
      let fields = try records.bytes(at: UInt64(start), count: UInt64(min(step, records.count - start)), name)
      for record in stride(from: 0, to: fields.bytes.count, by: recordBytes) {
        guard try body(fields, record) else { return }
      }
    }
  }
}

/// Bytes with numbers in them, which are little-endian unless `isBigEndian`.
struct ObjectFields {
  let bytes: [UInt8]
  let name: String
  var isBigEndian = false

  init(bytes: [UInt8], name: String) { (self.bytes, self.name) = (bytes, name) }

  func number(at position: Int, bytes count: Int) throws(ObjectError) -> UInt64 {
    guard position >= 0, position <= bytes.count, count <= bytes.count - position else {
      throw .damaged("\(name) ends early")
    }
    let field = bytes[position..<position + count]
    return isBigEndian
      ? field.reduce(0) { $0 << 8 | UInt64($1) } : field.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func word(at position: Int) throws(ObjectError) -> UInt64 { try number(at: position, bytes: 4) }

  /// Returns the bytes up to the next zero, at most `limit`; empty outside.
  func text(at position: UInt64, limit: Int) -> String {
    guard let position = Int(exactly: position), position < bytes.count else { return "" }
    return String(decoding: bytes[position...].prefix(limit).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns bytes in hexadecimal digits; `nil` if they aren't all there.
  func hexadecimal(at position: Int, count: Int) -> String? {
    guard position >= 0, count >= 0, position <= bytes.count, count <= bytes.count - position else { return nil }
    return bytes[position..<position + count].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
