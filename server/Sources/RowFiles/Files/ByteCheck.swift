import ServerBase

/// A hash of bytes in files, to recognize damage.
package enum ByteCheck {
  /// Returns the hash of some bytes, which is part of the formats of rows and backups.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var (first, second) = (UInt64(bytes.count), UInt64(0))
    var position = 0
    while position + 16 <= bytes.count {
      first = mixed(first, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
      second = mixed(second, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)))
      position += 16
    }
    while position < bytes.count {
      first = mixed(first, UInt64(bytes[position]))
      position += 1
    }
    return mixed(first, second)
  }
}
