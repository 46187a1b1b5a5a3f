import TernEvents

/// Finds records in the bytes of a segment, even after damaged ones.
struct SegmentReader {
  /// The bytes of the file from `base` on.
  let bytes: UnsafeRawBufferPointer
  /// The offset in the file of the first of `bytes`.
  let base: Int
  let salt: UInt32

  /// The offset in the file behind the last of `bytes`.
  var end: Int { base + bytes.count }

  /// The end of the settled run that starts at `offset`, if there is one.
  func settledEnd(at offset: Int) -> Int? {
    guard let source = pointer(to: offset, count: RecordHeader.tombstoneOffset + Tombstone.size) else { return nil }
    let tombstone = source.get(UInt64.self, at: RecordHeader.tombstoneOffset)
    if tombstone == 0 { return nil }
    guard let runEnd = Tombstone.end(tombstone, salt: salt, offset: offset), runEnd <= end else { return nil }
    return runEnd
  }

  /// The header of the record at `offset`, if there is one whose payload lies within the bytes.
  func header(at offset: Int) -> RecordHeader? {
    guard let source = pointer(to: offset, count: RecordHeader.size),
      let header = RecordHeader(source, salt: salt, offset: offset), offset + header.recordBytes <= end
    else { return nil }
    return header
  }

  /// The offset of the first record behind `offset` that starts before `limit`.
  func nextRecord(after offset: Int, before limit: Int) -> Int? {
    var candidate = offset + 1
    while candidate < limit, let source = pointer(to: candidate, count: RecordHeader.size) {
      if source.get(UInt32.self, at: 0) == RecordHeader.sync, header(at: candidate) != nil { return candidate }
      candidate += 1
    }
    return nil
  }

  /// The payload of a record, if its check is right.
  func payload(of header: RecordHeader, at offset: Int) -> [UInt8]? {
    guard let source = pointer(to: offset + RecordHeader.size, count: header.payloadBytes) else { return nil }
    let payload = UnsafeRawBufferPointer(start: source, count: header.payloadBytes)
    return Checksum.of(payload) == header.payloadCheck ? [UInt8](payload) : nil
  }

  private func pointer(to offset: Int, count: Int) -> UnsafeRawPointer? {
    guard offset >= base, offset + count <= end, let start = bytes.baseAddress else { return nil }
    return start + (offset - base)
  }
}
