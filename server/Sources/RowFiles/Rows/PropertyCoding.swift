package import ServerBase
package import TernEvents
import Warehouse

/// The stored form of one event's properties: for each, the dictionary ID of its name (0: the name follows as text), a
/// tag, and the value. If the event's own name has no ID, it follows at the end, as an element without a name.
package enum PropertyCoding {
  package enum Tag: UInt8 {
    case string = 0
    case integer = 1
    case double = 2
    case no = 3
    case yes = 4
    case date = 5
    /// The event's own name. It isn't a property and always comes last, so that reading properties ends there.
    case eventName = 6
  }

  /// The maximum number of UTF-8 bytes that reports use to tell values apart; longer values are truncated in reports
  /// only.
  package static let maximumCountedBytes = 256

  /// Appends a name.
  package static func append(name: String, id: UInt64, to output: inout [UInt8]) {
    output.appendVarint(id)
    if id == 0 { output.append(text: name) }
  }

  /// Appends tag and value.
  package static func append(_ value: PropertyValue, to output: inout [UInt8]) {
    switch value {
    case .string(let text):
      output.append(Tag.string.rawValue)
      output.append(text: text)
    case .integer(let number):
      output.append(Tag.integer.rawValue)
      output.appendZigzag(number)
    case .double(let number):
      output.append(Tag.double.rawValue)
      withUnsafeBytes(of: number.bitPattern.littleEndian) { output.append(contentsOf: $0) }
    case .boolean(let flag):
      output.append(flag ? Tag.yes.rawValue : Tag.no.rawValue)
    case .date(let time):
      output.append(Tag.date.rawValue)
      output.appendZigzag(time.millisecondsSince1970)
    }
  }

  /// Reads tag and value; returns `nil` if they are invalid.
  package static func value(_ reader: inout ByteReader) -> PropertyValue? {
    guard let byte = reader.byte(), let tag = Tag(rawValue: byte) else { return nil }
    switch tag {
    case .string: return reader.text().map { .string($0) }
    case .integer: return reader.zigzag().map { .integer($0) }
    case .double:
      return reader.bytes(8).map { bytes in
        .double(Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))))
      }
    case .no: return .boolean(false)
    case .yes: return .boolean(true)
    case .date: return reader.zigzag().map { .date(Timestamp(millisecondsSince1970: $0)) }
    case .eventName: return nil
    }
  }

  /// Calls `body` with each name ID and the bytes of its tag and value, up to the first invalid one.
  package static func forEach(_ blob: UnsafeRawBufferPointer, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void)
    rethrows
  {
    var reader = ByteReader(blob)
    while !reader.isAtEnd {
      guard let id = reader.varint() else { return }
      if id == 0 { guard let count = reader.varint(), reader.bytes(Int(clamping: count)) != nil else { return } }
      let start = reader.position
      guard skipValue(&reader) else { return }
      try body(id, reader.slice(from: start))
    }
  }

  /// A value; a text is still the stored bytes.
  package enum StoredValue {
    case text(UnsafeRawBufferPointer)
    case other(PropertyValue)
  }

  /// Calls `body` with each property, up to the first invalid one: the ID of its name, the name's UTF-8 if that is stored
  /// with it, and the value.
  package static func forEachText(
    _ blob: UnsafeRawBufferPointer, _ body: (Int64, UnsafeRawBufferPointer?, StoredValue) throws -> Void
  ) rethrows {
    var reader = ByteReader(blob)
    while !reader.isAtEnd {
      guard let id = reader.varint() else { return }
      var name: UnsafeRawBufferPointer?
      if id == 0 {
        guard let count = reader.varint(), let bytes = reader.bytes(Int(clamping: count)) else { return }
        name = bytes
      }
      let start = reader
      if reader.byte() == Tag.string.rawValue {
        guard let count = reader.varint(), let bytes = reader.bytes(Int(clamping: count)) else { return }
        try body(Int64(bitPattern: id), name, .text(bytes))
      } else {
        reader = start
        guard let value = value(&reader) else { return }
        try body(Int64(bitPattern: id), name, .other(value))
      }
    }
  }

  private static func skipValue(_ reader: inout ByteReader) -> Bool {
    guard let byte = reader.byte(), let tag = Tag(rawValue: byte) else { return false }
    switch tag {
    case .string:
      guard let count = reader.varint() else { return false }
      return reader.bytes(Int(clamping: count)) != nil
    case .integer, .date: return reader.varint() != nil
    case .double: return reader.bytes(8) != nil
    case .no, .yes: return true
    case .eventName: return false
    }
  }

  /// Appends the event's own name, after all properties.
  package static func append(eventName: String, to output: inout [UInt8]) {
    append(name: "", id: 0, to: &output)
    output.append(Tag.eventName.rawValue)
    output.append(text: eventName)
  }

  /// Returns the stored form with IDs from `number` for names that had none, and without the event's own name.
  ///
  /// - Returns: The stored form, and true if a name still has no ID because there is no room.
  package static func renumbered(
    _ blob: UnsafeRawBufferPointer, number: (String) throws -> Int64
  ) rethrows -> (bytes: [UInt8], isNameLimited: Bool) {
    var reader = ByteReader(blob)
    var output: [UInt8] = []
    var isNameLimited = false
    while !reader.isAtEnd {
      guard var id = reader.varint() else { break }
      let name = id == 0 ? reader.text() ?? "" : ""
      let start = reader.position
      guard skipValue(&reader) else { break }
      if id == 0, name != Dimension.otherKey {
        id = UInt64(bitPattern: try number(name))
        if id == 0 { isNameLimited = true }
      }
      append(name: name, id: id, to: &output)
      output.append(contentsOf: reader.slice(from: start))
    }
    return (output, isNameLimited)
  }

  /// Returns the event's own name if it was appended.
  package static func eventName(_ blob: UnsafeRawBufferPointer) -> String? {
    var reader = ByteReader(blob)
    while !reader.isAtEnd {
      guard let id = reader.varint() else { return nil }
      if id == 0, reader.text() == nil { return nil }
      var value = reader
      if value.byte() == Tag.eventName.rawValue { return value.text() }
      guard skipValue(&reader) else { return nil }
    }
    return nil
  }

  /// Decodes all properties; `name` resolves dictionary IDs.
  package static func decode(_ blob: UnsafeRawBufferPointer, name: (Int64) throws -> String) rethrows -> [Properties
    .Element]
  {
    var reader = ByteReader(blob)
    var elements: [Properties.Element] = []
    while !reader.isAtEnd {
      guard let id = reader.varint() else { break }
      let given = id == 0 ? reader.text() : nil
      guard let value = value(&reader) else { break }
      elements.append(Properties.Element(name: try given ?? name(Int64(bitPattern: id)), value: value))
    }
    return elements
  }
}

/// Returns the longest prefix that fits into `limit` bytes without splitting a character.
package func prefix(_ utf8: UnsafeRawBufferPointer, atMost limit: Int) -> UnsafeRawBufferPointer {
  guard utf8.count > limit else { return utf8 }
  var end = limit
  while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
  return UnsafeRawBufferPointer(rebasing: utf8[0..<end])
}
