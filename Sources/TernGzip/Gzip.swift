import CTernZlib

/// Compresses the bytes to a gzip member (RFC 1952); returns `nil` if zlib fails, for example for lack of memory.
///
/// - Parameter level: From 1, the fastest, to 9, the shortest result.
public func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
  var stream = z_stream()
  // A 15-bit window, plus 16 for a gzip header instead of zlib's.
  guard
    deflateInit2_(
      &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      == Z_OK
  else { return nil }
  defer { deflateEnd(&stream) }
  let bound = Int(deflateBound(&stream, uLong(bytes.count)))
  var isComplete = false
  let packed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
    bytes.withUnsafeBufferPointer { input in
      // zlib never writes to its input, but the C type is const only with ZLIB_CONST.
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.avail_in = uInt(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = uInt(bound)
      isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
    }
    count = bound - Int(stream.avail_out)
  }
  return isComplete ? packed : nil
}
