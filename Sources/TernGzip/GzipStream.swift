import CTernZlib

/// Compresses bytes to one gzip member (RFC 1952), piece by piece, in about 300 KiB of memory. Not thread-safe.
public final class GzipStream {
  /// On the heap, because zlib stores the address and rejects a stream that has moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private var output = [UInt8](repeating: 0, count: 1 << 15)

  /// Creates a stream; returns `nil` if zlib fails, for example for lack of memory.
  ///
  /// - Parameter level: From 1, the fastest, to 9, the smallest result.
  public init?(level: Int32 = 6) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A 15-bit window, plus 16 for a gzip header instead of zlib's.
    let status = deflateInit2_(
      stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses the next bytes, less than 4 GiB, and flushes them, so that a reader can decompress all of them at once.
  public func add(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, Z_SYNC_FLUSH) }

  /// Compresses the last bytes and ends the member. Nothing may be added after that.
  public func finish(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, Z_FINISH) }

  private func deflated(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
    var packed: [UInt8] = []
    bytes.withUnsafeBufferPointer { input in
      // zlib never writes to its input, but the C type is const only with ZLIB_CONST.
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = uInt(input.count)
      repeat {
        let count = output.withUnsafeMutableBufferPointer { buffer in
          stream.pointee.next_out = buffer.baseAddress
          stream.pointee.avail_out = uInt(buffer.count)
          // The status says nothing that the numbers of bytes don't: the arguments are valid, and memory was reserved.
          _ = deflate(stream, flush)
          return buffer.count - Int(stream.pointee.avail_out)
        }
        packed += output[..<count]
      } while stream.pointee.avail_out == 0
    }
    return packed
  }
}
