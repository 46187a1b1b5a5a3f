import CTernZlib

/// Returns the content of a gzip member, or `nil` if the bytes are not one.
public func gunzip(_ bytes: [UInt8]) -> [UInt8]? {
  var stream = z_stream()
  guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
  defer { inflateEnd(&stream) }
  var content: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 64 << 10)
  return bytes.withUnsafeBufferPointer { input in
    stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    stream.avail_in = uInt(input.count)
    while true {
      let (code, count) = chunk.withUnsafeMutableBufferPointer { output in
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        let code = inflate(&stream, Z_NO_FLUSH)
        return (code, output.count - Int(stream.avail_out))
      }
      content.append(contentsOf: chunk[..<count])
      if code == Z_STREAM_END { return content }
      if code != Z_OK || count == 0 { return nil }
    }
  }
}
