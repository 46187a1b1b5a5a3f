import TernEvents

/// Finds records in the bytes of a segment, even after damaged ones.
struct SegmentReader {
  /// The bytes of the file from `base` on.
  let bytes: UnsafeRawBufferPointer
  /// The offset in the file of the first of `bytes`.
  let base: Int
  let salt: UInt32

  /// The offset in the file after the last of `bytes`.
  var end: Int { base + bytes.count }

  /// The header of the record at `offset`, if there is one whose payload lies within the bytes.
  func header(at offset: Int) -> RecordHeader? {
    guard let source = pointer(to: offset, count: RecordHeader.size),
      let header = RecordHeader(source, salt: salt, offset: offset), offset + header.recordBytes <= end
    else { return nil }
    return header
  }

  /// The first record after `offset` that starts before `limit`.
  func nextRecord(after offset: Int, before limit: Int) -> (offset: Int, header: RecordHeader)? {
    var candidate = offset + 1
    while candidate < limit, let source = pointer(to: candidate, count: RecordHeader.size) {
      if source.get(UInt32.self, at: 0) == RecordHeader.sync, let header = header(at: candidate) {
        return (candidate, header)
      }
      candidate += 1
    }
    return nil
  }

  /// True if the payload of a record is intact.
  func isIntact(_ header: RecordHeader, at offset: Int) -> Bool {
    guard let source = pointer(to: offset + RecordHeader.size, count: header.payloadBytes) else { return false }
    return Checksum.of(UnsafeRawBufferPointer(start: source, count: header.payloadBytes)) == header.payloadCheck
  }

  private func pointer(to offset: Int, count: Int) -> UnsafeRawPointer? {
    guard offset >= base, offset + count <= end, let start = bytes.baseAddress else { return nil }
    return start + (offset - base)
  }
}
