import TernEvents

/// Logs in OTLP's JSON.
enum OTLPDocument {
  static func read(
    _ json: RawJSON, _ request: ClientRequest, _ body: (Result<ClientEvent, RejectionReason>) -> Void
  ) {
    var count = 0
    let limits = request.limits
    json.member("resourceLogs")?.forEachElement(atMost: request.mostRecords) { logs in
      let shared = logs.member("resource")
      let resource = attributes(shared?.member("attributes"), limits)
      let hash = request.hash(of: shared)
      logs.member("scopeLogs")?.forEachElement(atMost: request.mostRecords) { scope in
        scope.member("logRecords")?.forEachElement(atMost: request.mostRecords) { json in
          guard count < request.mostRecords else { return }
          count += 1
          let members = json.members(
            "timeUnixNano", "observedTimeUnixNano", "severityText", "body", "attributes", "eventName")
          var record = OTLPRecord()
          record.resource = resource
          record.time = number(members[0])
          record.observedTime = number(members[1])
          record.severity = members[2]?.lenientText(limit: 64) ?? ""
          record.body = members[3].flatMap { value($0, limits) }
          record.attributes = attributes(members[4], limits)
          record.name = members[5]?.name(limits) ?? ""
          body(record.event(request.identity(of: json, sharing: hash), limits))
        }
      }
    }
  }

  private static func number(_ json: RawJSON?) -> UInt64 { json.flatMap { UInt64($0.lenientText(limit: 32)) } ?? 0 }

  private static func attributes(_ list: RawJSON?, _ limits: IngestLimits) -> [Properties.Element] {
    var attributes: [Properties.Element] = []
    list?.forEachElement(atMost: limits.maximumProperties) { pair in
      let members = pair.members("key", "value")
      guard let key = members[0]?.name(limits), !key.isEmpty, let value = members[1].flatMap({ value($0, limits) })
      else {
        return
      }
      attributes.append(.init(name: key, value: value))
    }
    return attributes
  }

  private static func value(_ json: RawJSON, _ limits: IngestLimits) -> PropertyValue? {
    let members = json.members(
      "stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue")
    // 64-bit integers are texts in this form.
    if let integer = members[2] { return Int64(integer.lenientText(limit: 32)).map { .integer($0) } }
    if let number = members[3]?.number { return .double(number) }
    if members[4] != nil || members[5] != nil {
      var text = JSONWriter(capacity: 64)
      write(json, to: &text, limits, depth: 0)
      return .string(text.bytes.withUnsafeBytes { Ingest.text($0, limit: limits.maximumValueBytes) })
    }
    return (members[0] ?? members[1] ?? members[6])?.property(limit: limits.maximumValueBytes)
  }

  /// Writes a value as JSON, lists and maps as such.
  private static func write(_ json: RawJSON, to text: inout JSONWriter, _ limits: IngestLimits, depth: Int) {
    let members = json.members("arrayValue", "kvlistValue")
    guard let list = members[0] ?? members[1] else {
      guard let value = value(json, limits) else { return text.raw("null") }
      return text.value(value)
    }
    let isMap = members[0] == nil
    text.raw(isMap ? "{" : "[")
    var isFirst = true
    list.member("values")?.forEachElement(atMost: limits.maximumValueBytes) { element in
      guard text.bytes.count < limits.maximumValueBytes, depth < OTLPMessage.maximumDepth else { return }
      if !isFirst { text.raw(",") }
      isFirst = false
      if isMap {
        text.string(element.member("key")?.name(limits) ?? "")
        text.raw(":")
      }
      write(isMap ? element.member("value") ?? element : element, to: &text, limits, depth: depth + 1)
    }
    text.raw(isMap ? "}" : "]")
  }
}
