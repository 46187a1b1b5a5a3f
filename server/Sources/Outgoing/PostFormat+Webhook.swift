import TernEvents

extension PostFormat {
  /// JSON for programs, signed.
  static let webhook = PostFormat("webhook", isSigned: true) { message, _ in message.json }
}

extension OutgoingMessage {
  /// The message as JSON, for programs.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.raw("{\"id\":")
    json.identifier(id)
    for (name, text) in [("time", time.iso8601), ("event", event), ("title", title), ("text", text)] {
      json.member(name)
      json.string(text)
    }
    json.member("facts")
    json.raw("{")
    for (index, fact) in facts.enumerated() {
      if index > 0 { json.raw(",") }
      json.string(fact.name)
      json.raw(":")
      switch fact.value {
      case .text(let text): json.string(text)
      // JSON has no infinity.
      case .number(let number): if number.isFinite { json.double(number) } else { json.raw("null") }
      }
    }
    json.raw("}")
    if let link {
      json.member("link")
      json.string(link)
    }
    json.raw("}")
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String) {
    raw(",")
    string(name)
    raw(":")
  }
}
