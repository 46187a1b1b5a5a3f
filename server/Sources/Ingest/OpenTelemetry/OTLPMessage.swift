import ServerBase
import TernEvents

/// Logs in protobuf: `ExportLogsServiceRequest` of OTLP 1.
enum OTLPMessage {
  /// Values within values beyond this depth are left out.
  static let maximumDepth = 16

  /// Passes the records to `body`; returns false for bytes that are no such message.
  static func read(
    _ bytes: UnsafeRawBufferPointer, _ request: ClientRequest, _ body: (Result<ClientEvent, RejectionReason>) -> Void
  ) -> Bool {
    var count = 0
    return ProtobufReader.forEachField(of: bytes) { number, value in
      guard number == 1, let logs = value.block else { return }
      var resource: [Properties.Element] = []
      var shared = UnsafeRawBufferPointer(start: nil, count: 0)
      // The resource may follow its records.
      ProtobufReader.forEachField(of: logs) { number, value in
        guard number == 1, let block = value.block else { return }
        shared = block
        resource = attributes(of: block, field: 1, request.limits)
      }
      let hash = request.hash(of: RawJSON(shared))
      ProtobufReader.forEachField(of: logs) { number, value in
        guard number == 2, let scope = value.block else { return }
        ProtobufReader.forEachField(of: scope) { number, value in
          guard number == 2, let bytes = value.block, count < request.mostRecords else { return }
          count += 1
          guard let record = record(bytes, resource, request.limits) else { return body(.failure(.notAnObject)) }
          body(record.event(request.identity(of: RawJSON(bytes), sharing: hash), request.limits))
        }
      }
    }
  }

  private static func record(
    _ bytes: UnsafeRawBufferPointer, _ resource: [Properties.Element], _ limits: IngestLimits
  ) -> OTLPRecord? {
    var record = OTLPRecord()
    record.resource = resource
    let isWhole = ProtobufReader.forEachField(of: bytes) { number, value in
      switch number {
      case 1: record.time = value.fixed ?? 0
      case 11: record.observedTime = value.fixed ?? 0
      case 3: record.severity = value.block.map { text($0, limit: 64) } ?? ""
      case 5: record.body = value.block.flatMap { anyValue($0, limits, depth: 0) }
      case 12: record.name = value.block.map { text($0, limit: limits.maximumNameBytes) } ?? ""
      default: break
      }
    }
    record.attributes = attributes(of: bytes, field: 6, limits)
    return isWhole ? record : nil
  }

  private static func attributes(
    of bytes: UnsafeRawBufferPointer, field: Int, _ limits: IngestLimits
  ) -> [Properties.Element] {
    var attributes: [Properties.Element] = []
    ProtobufReader.forEachField(of: bytes) { number, value in
      guard number == field, let pair = value.block, attributes.count < limits.maximumProperties else { return }
      let (key, value) = keyValue(pair)
      guard !key.isEmpty, let value = value.flatMap({ anyValue($0, limits, depth: 0) }) else { return }
      attributes.append(.init(name: text(key, limit: limits.maximumNameBytes), value: value))
    }
    return attributes
  }

  private static func keyValue(_ pair: UnsafeRawBufferPointer) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) {
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var value: UnsafeRawBufferPointer?
    ProtobufReader.forEachField(of: pair) { number, field in
      if number == 1 { key = field.block ?? key } else if number == 2 { value = field.block }
    }
    return (key, value)
  }

  /// Reads an `AnyValue`; `nil` for an empty one. Lists and maps are JSON text, bytes are base64.
  private static func anyValue(_ bytes: UnsafeRawBufferPointer, _ limits: IngestLimits, depth: Int) -> PropertyValue? {
    var found: PropertyValue?
    ProtobufReader.forEachField(of: bytes) { number, value in
      switch (number, value) {
      case (1, .bytes(let bytes)): found = .string(text(bytes, limit: limits.maximumValueBytes))
      case (2, .number(let flag)): found = .boolean(flag != 0)
      case (3, .number(let number)): found = .integer(Int64(bitPattern: number))
      case (4, .fixed64(let bits)):
        let number = Double(bitPattern: bits)
        found = number.isFinite ? .double(number) : nil
      case (5, .bytes(let list)), (6, .bytes(let list)):
        guard depth < maximumDepth else { return }
        var json = JSONWriter(capacity: 64)
        write(list, isMap: number == 6, to: &json, limits, depth: depth + 1)
        found = .string(json.bytes.withUnsafeBytes { Ingest.text($0, limit: limits.maximumValueBytes) })
      case (7, .bytes(let bytes)): found = .string(Base64URL.encode(Array(bytes.prefix(limits.maximumValueBytes / 2))))
      default: break
      }
    }
    return found
  }

  private static func write(
    _ list: UnsafeRawBufferPointer, isMap: Bool, to json: inout JSONWriter, _ limits: IngestLimits, depth: Int
  ) {
    json.raw(isMap ? "{" : "[")
    var isFirst = true
    ProtobufReader.forEachField(of: list) { number, value in
      guard number == 1, let element = value.block, json.bytes.count < limits.maximumValueBytes else { return }
      if !isFirst { json.raw(",") }
      isFirst = false
      var content: UnsafeRawBufferPointer? = element
      if isMap {
        let (key, value) = keyValue(element)
        json.string(text(key, limit: limits.maximumNameBytes))
        json.raw(":")
        content = value
      }
      switch content.flatMap({ anyValue($0, limits, depth: depth) }) {
      case .string(let text) where content.map(isNested) ?? false: json.raw(Array(text.utf8))
      case let value?: json.value(value)
      case nil: json.raw("null")
      }
    }
    json.raw(isMap ? "}" : "]")
  }

  /// Returns the bytes as text without U+0000, which JSON can have only in another form.
  private static func text(_ bytes: UnsafeRawBufferPointer, limit: Int) -> String {
    let text = Ingest.text(bytes, limit: limit)
    return text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
  }

  /// True for a list or a map, whose text is JSON already.
  private static func isNested(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isNested = false
    ProtobufReader.forEachField(of: bytes) { number, _ in isNested = number == 5 || number == 6 }
    return isNested
  }
}
