import CTernZlib

/// Compresses like the stock App Center SDK: gzip at zlib's default level.
func gzipped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var stream = z_stream()
  guard
    deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)) == Z_OK
  else { return [] }
  defer { deflateEnd(&stream) }
  var input = Array(bytes)
  return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, UInt(input.count)))) { output, count in
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      deflate(&stream, Z_FINISH)
    }
    count = Int(stream.total_out)
  }
}
