#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Splits bytes into lines.
final class LineReader {
  private let maximumBytes: Int
  private let read: () throws -> [UInt8]
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The number of lines that were read.
  private(set) var number = 0

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - maximumBytes: The maximum length of a line.
  ///   - read: Returns the next bytes; none at the end.
  init(maximumBytes: Int, read: @escaping () throws -> [UInt8]) {
    self.maximumBytes = maximumBytes
    self.read = read
  }

  /// True if the bytes after the last line have no end.
  var hasUnfinishedLine: Bool { position < buffer.count }

  /// Calls `body` with the next line, without its end, and returns the result; `nil` after the last line.
  ///
  /// A last line without an end is left out.
  func next<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
    var searched = position
    while true {
      if let end = end(from: searched) {
        let line = position..<end
        position = end + 1
        number += 1
        return try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[line])) }
      }
      guard !isAtEnd, buffer.count - position <= maximumBytes else { return nil }
      buffer.removeFirst(position)
      position = 0
      searched = buffer.count
      let more = try read()
      isAtEnd = more.isEmpty
      buffer += more
    }
  }

  /// Returns the position of the first line end from a position on.
  private func end(from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, 0x0A, bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
