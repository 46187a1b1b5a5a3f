public import TernValues

extension ExceptionFacts {
  /// The limits for an exception whose encoding must be shortened.
  private struct Limits {
    var frames: Int
    var textBytes: Int
    var depth: Int
    var inner: Int
  }

  /// Returns the member `"exception":{…}` of at most about `limit` bytes; the outermost frames are left out if
  /// necessary.
  public func encodedMember(atMost limit: Int = 48 << 10) -> [UInt8] {
    var limits = Limits(frames: 512, textBytes: 32 << 10, depth: 8, inner: 16)
    while true {
      var json = JSONWriter(capacity: 4 << 10)
      json.raw("\"exception\":")
      write(to: &json, limits, depth: 0)
      if json.bytes.count <= limit || limits.frames == 0 { return json.bytes }
      limits.frames /= 2
      limits.textBytes = max(limits.textBytes / 2, 64)
      limits.depth = max(limits.depth / 2, 1)
      limits.inner = max(limits.inner / 2, 1)
    }
  }

  private func write(to json: inout JSONWriter, _ limits: Limits, depth: Int) {
    json.raw("{\"type\":")
    json.string(type.truncated(toBytes: min(NativeProtocol.maximumNameBytes, limits.textBytes)))
    json.optional(",\"fingerprint\":", fingerprint?.truncated(toBytes: 256))
    json.optional(",\"message\":", message?.truncated(toBytes: min(NativeProtocol.maximumValueBytes, limits.textBytes)))
    json.optional(",\"stackTrace\":", stackTrace?.truncated(toBytes: limits.textBytes))
    json.list(",\"frames\":", frames.prefix(limits.frames)) { $0.frame($1, limits.textBytes) }
    if depth < limits.depth {
      json.list(",\"innerExceptions\":", innerExceptions.prefix(limits.inner)) {
        $1.write(to: &$0, limits, depth: depth + 1)
      }
    }
    json.optional(",\"wrapperSdkName\":", wrapperSdkName?.truncated(toBytes: min(512, limits.textBytes)))
    json.raw("}")
  }
}

extension AttachmentPiece {
  /// Returns the member `"attachment":{…}`.
  public func encodedMember() -> [UInt8] {
    var json = JSONWriter(capacity: data.count * 4 / 3 + 512)
    json.raw("\"attachment\":{\"error\":")
    json.identifier(error)
    json.raw(",\"id\":")
    json.identifier(id)
    json.optional(",\"name\":", name?.truncated(toBytes: NativeProtocol.maximumNameBytes))
    json.raw(",\"contentType\":")
    json.string(contentType.truncated(toBytes: NativeProtocol.maximumNameBytes))
    json.raw(",\"part\":")
    json.integer(Int64(part))
    json.raw(",\"parts\":")
    json.integer(Int64(parts))
    json.raw(",\"data\":\"")
    json.raw(base64(data))
    json.raw("\"}")
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func optional(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    raw(name)
    string(value)
  }

  fileprivate mutating func list<Elements: Collection>(
    _ name: StaticString, _ elements: Elements, _ body: (inout JSONWriter, Elements.Element) -> Void
  ) {
    if elements.isEmpty { return }
    raw(name)
    raw("[")
    var isFirst = true
    for element in elements {
      if !isFirst { raw(",") }
      isFirst = false
      body(&self, element)
    }
    raw("]")
  }

  fileprivate mutating func frame(_ frame: ExceptionFacts.Frame, _ textBytes: Int) {
    raw("{")
    let start = bytes.count
    let texts: [(StaticString, String?)] = [
      ("\"className\":", frame.className), ("\"methodName\":", frame.methodName), ("\"fileName\":", frame.fileName),
      ("\"address\":", frame.address), ("\"code\":", frame.code),
    ]
    for (name, value) in texts {
      guard let value else { continue }
      if bytes.count > start { raw(",") }
      raw(name)
      string(value.truncated(toBytes: min(NativeProtocol.maximumNameBytes, textBytes)))
    }
    if let line = frame.lineNumber {
      if bytes.count > start { raw(",") }
      raw("\"lineNumber\":")
      integer(Int64(line))
    }
    raw("}")
  }
}

/// Returns the data in base64 (RFC 4648 §4), without Foundation.
private func base64(_ data: ArraySlice<UInt8>) -> [UInt8] {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var result: [UInt8] = []
  result.reserveCapacity((data.count + 2) / 3 * 4)
  var index = data.startIndex
  while index < data.endIndex {
    let count = min(3, data.endIndex - index)
    var bits: UInt32 = 0
    for offset in 0..<3 { bits = bits << 8 | (offset < count ? UInt32(data[index + offset]) : 0) }
    for digit in 0..<4 {
      result.append(digit <= count ? digits[Int(bits >> UInt32(18 - 6 * digit) & 63)] : UInt8(ascii: "="))
    }
    index += count
  }
  return result
}
