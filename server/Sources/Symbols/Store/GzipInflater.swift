import CTernZlib
import Warehouse

/// Decompresses gzip, or the files of a zip archive, as it arrives. Not thread-safe.
package final class GzipInflater {
  /// On the heap, because zlib stores the address and rejects a stream that has moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: 1 << 18)
  private var isReady = false
  private var isAtEnd = false
  private let isRaw: Bool

  /// - Parameter isRaw: True for data without gzip's header.
  package init(isRaw: Bool = false) {
    self.isRaw = isRaw
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 bits of window, and 16 for the gzip wrapper; negative without one.
    isReady = inflateInit2_(stream, isRaw ? -15 : 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Decompresses bytes and calls `body` with the result, part by part.
  package func inflate(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard isReady else { throw Self.damaged }
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(clamping: bytes.count)
    repeat {
      if isAtEnd {
        // Several members may follow each other.
        guard stream.pointee.avail_in > 0 else { return }
        guard !isRaw, inflateReset(stream) == Z_OK else { throw Self.damaged }
        isAtEnd = false
      }
      let waiting = stream.pointee.avail_in
      let filled = try output.withUnsafeMutableBufferPointer { buffer in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(clamping: buffer.count)
        let status = CTernZlib.inflate(stream, Z_NO_FLUSH)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw Self.damaged }
        isAtEnd = status == Z_STREAM_END
        return buffer.count - Int(stream.pointee.avail_out)
      }
      guard filled > 0 || stream.pointee.avail_in < waiting || isAtEnd || waiting == 0 else { throw Self.damaged }
      try output.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  /// Throws unless the compressed data is complete.
  package func checkEnd() throws {
    guard isAtEnd else { throw Self.damaged }
  }

  private static let damaged = WarehouseError(
    .invalid, "The compressed file is damaged or incomplete. Use a complete copy.")
}
