import CTernJSON

/// Parses a JSON body with a pooled reader and passes the flat arrays to `body`. They are only valid during the call.
func withRecords<Result>(
  of bytes: UnsafeRawBufferPointer, format: WireFormat, limits: IngestLimits,
  _ body: (tern_result) throws(IngestError) -> Result
) throws(IngestError) -> Result {
  guard let reader = tern_reader_borrow() else { throw IngestError.outOfMemory }
  defer { tern_reader_return(reader) }
  let result = withUnsafePointer(to: format.table) { table in
    tern_read(
      reader, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, table, UInt32(clamping: limits.maximumEvents),
      UInt32(clamping: limits.maximumProperties))
  }
  let index = result.index < 0 ? nil : Int(result.index)
  switch result.status {
  case TERN_STATUS_OK:
    return try body(result)
  case TERN_STATUS_TOO_MANY:
    throw IngestError(
      .tooLarge, "The request holds more than \(limits.maximumEvents) events; send fewer at a time.",
      position: Int(result.position), index: index)
  case TERN_STATUS_NO_MEMORY:
    throw IngestError.outOfMemory
  default:
    let reason = String(cString: result.message)
    let place = "at byte \(result.position)" + (index.map { " (event \($0))" } ?? "")
    throw IngestError(
      .malformed, "The body is not valid JSON of this protocol: \(reason) \(place).",
      position: Int(result.position), index: index,
      indexes: result.faultList.map { Int($0) })
  }
}

extension IngestError {
  static let outOfMemory = IngestError(.tooLarge, "The server has no memory left for this body. Send it again later.")
}

extension tern_result {
  var recordList: UnsafeBufferPointer<tern_record> { UnsafeBufferPointer(start: records, count: record_count) }
  var blockList: UnsafeBufferPointer<tern_block> { UnsafeBufferPointer(start: blocks, count: block_count) }
  var faultList: UnsafeBufferPointer<UInt32> { UnsafeBufferPointer(start: faults, count: fault_count) }
  /// The properties of one record.
  func properties(of record: tern_record) -> UnsafeBufferPointer<tern_property> {
    guard let properties, record.property_count > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: properties + Int(record.first_property), count: Int(record.property_count))
  }
}
