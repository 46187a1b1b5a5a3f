/// Reads the lines of a CSV file (RFC 4180) from bytes, with bounds. An unclosed quote ends with the file, and invalid
/// UTF-8 becomes U+FFFD.
struct DelimitedText {
  /// The most columns; reports have fewer.
  static let maximumColumns = 200
  /// The maximum size of a line; those of reports are shorter.
  static let maximumLineBytes = 1 << 16

  /// A line that is longer than these limits.
  struct LineTooLong: Error {
    let line: Int
  }

  private let bytes: [UInt8]
  private var position = 0
  /// The number of the line at which the last fields began, from 1.
  private(set) var line = 0
  private var linesRead = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the fields of the next line, one empty field for an empty line; `nil` at the end.
  mutating func next() throws(LineTooLong) -> [String]? {
    guard position < bytes.count else { return nil }
    line = linesRead + 1
    let start = position
    var fields: [String] = []
    var field: [UInt8] = []
    var (isQuoted, isAtEnd) = (false, false)
    while !isAtEnd {
      guard position - start <= Self.maximumLineBytes, fields.count < Self.maximumColumns else {
        throw LineTooLong(line: line)
      }
      guard position < bytes.count else { break }
      let byte = bytes[position]
      position += 1
      if byte == 0x0A { linesRead += 1 }
      switch byte {
      case 0x22 where isQuoted && position < bytes.count && bytes[position] == 0x22:
        field.append(byte)
        position += 1
      case 0x22 where isQuoted: isQuoted = false
      case 0x22 where field.isEmpty: isQuoted = true
      case 0x2C where !isQuoted:
        fields.append(String(decoding: field, as: UTF8.self))
        field = []
      case 0x0A where !isQuoted: isAtEnd = true
      case 0x0D where !isQuoted && position < bytes.count && bytes[position] == 0x0A: continue
      default: field.append(byte)
      }
    }
    return fields + [String(decoding: field, as: UTF8.self)]
  }
}
