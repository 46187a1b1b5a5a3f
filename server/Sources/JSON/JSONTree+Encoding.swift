import TernEvents

extension JSONTree {
  /// An object of members in the given order.
  package static func object(_ members: [(String, JSONTree)]) -> JSONTree {
    .object(members.map { Member(name: $0.0, value: $0.1) })
  }

  package static func integer(_ value: some BinaryInteger) -> JSONTree { .number(Double(value)) }
  package static func integer(_ value: (some BinaryInteger)?) -> JSONTree { value.map { .integer($0) } ?? .null }
  package static func texts(_ values: [String]) -> JSONTree { .array(values.map { .text($0) }) }

  /// Compact JSON.
  package var encoded: [UInt8] {
    var writer = JSONWriter(capacity: 512)
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.raw("null")
    case .boolean(let flag): writer.boolean(flag)
    case .number(let number): writer.raw(Array(JSONNumber.plain(number).utf8))
    case .text(let text): writer.string(text)
    case .array(let elements):
      writer.raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.raw(",") }
        element.write(to: &writer)
      }
      writer.raw("]")
    case .object(let members):
      writer.raw("{")
      for (index, member) in members.enumerated() {
        if index > 0 { writer.raw(",") }
        writer.string(member.name)
        writer.raw(":")
        member.value.write(to: &writer)
      }
      writer.raw("}")
    }
  }
}
