import TernEvents

/// An event, as the simulated collector parses it from a request.
struct ReadEvent {
  var id = ""
  var type = ""
  var name = ""
  var time: Timestamp?
  var install = ""
  var session: String?
  var user: String?
  var properties: [Properties.Element] = []
}

/// Parses the lines of a request body strictly, without any of the client's code, so that a mistake in writing cannot
/// be hidden by the same mistake in reading.
struct EventReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// The members that hold for the lines after them.
  private var context = ReadEvent()

  /// Returns the events of a body, one per line, or `nil` if a line is not an event.
  static func read(_ body: [UInt8]) -> [ReadEvent]? {
    body.withUnsafeBufferPointer { bytes -> [ReadEvent]? in
      var reader = EventReader(bytes: bytes)
      var events: [ReadEvent] = []
      while reader.position < bytes.count {
        guard let event = reader.line(), reader.take("\n") else { return nil }
        events += event
      }
      return events
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  /// Reads a line: one event, or none if it begins a context.
  private mutating func line() -> [ReadEvent]? {
    let begin = "{\"context\":".utf8
    guard bytes[position...].starts(with: begin) else { return event().map { [$0] } }
    position += begin.count
    var context = ReadEvent()
    guard members({ $0.shared(name: $1, &context) }), take("}") else { return nil }
    self.context = context
    return []
  }

  private mutating func shared(name: String, _ event: inout ReadEvent) -> Bool {
    switch name {
    case "install": text { event.install = $0 }
    case "session": text { event.session = $0 }
    case "user": text { event.user = $0 }
    case "device", "app": members { reader, _ in reader.value() != nil }
    case "boot": text { _ in }
    default: false
    }
  }

  private mutating func event() -> ReadEvent? {
    var event = context
    var isWhole = true
    let isRead = members { reader, name in
      switch name {
      case "id": reader.text { event.id = $0 }
      case "type": reader.text { event.type = $0 }
      case "name": reader.text { event.name = $0 }
      case "time": reader.number { event.time = Int64($0).map { Timestamp(millisecondsSince1970: $0) } }
      case "properties":
        reader.members { reader, name in
          guard let value = reader.value() else { return false }
          event.properties.append(Properties.Element(name: name, value: value))
          return true
        }
      case "uptime": reader.number { if Int64($0) == nil { isWhole = false } }
      default: reader.shared(name: name, &event)
      }
    }
    return isRead && isWhole && event.time != nil && event.id.utf8.count == 36 && event.install.utf8.count == 36
      && !event.type.isEmpty ? event : nil
  }

  /// Parses an object; `member` parses the value of each name.
  private mutating func members(_ member: (inout EventReader, String) -> Bool) -> Bool {
    guard take("{") else { return false }
    if take("}") { return true }
    repeat {
      guard let name = string(), take(":"), member(&self, name) else { return false }
    } while take(",")
    return take("}")
  }

  private mutating func text(_ body: (String) -> Void) -> Bool {
    guard let text = string() else { return false }
    body(text)
    return true
  }

  private mutating func number(_ body: (String) -> Void) -> Bool {
    let start = position
    while let byte = current, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { return false }
    body(String(decoding: bytes[start..<position], as: UTF8.self))
    return true
  }

  /// Parses the values that simulated apps use in properties: integers and strings.
  private mutating func value() -> PropertyValue? {
    var value: PropertyValue?
    if current == UInt8(ascii: "\"") { return string().map(PropertyValue.string) }
    guard number({ value = Int64($0).map(PropertyValue.integer) }) else { return nil }
    return value
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    let start = position
    while let byte = current, byte != UInt8(ascii: "\"") {
      // Simulated apps use no text that needs escapes.
      if byte < 0x20 || byte == UInt8(ascii: "\\") { return nil }
      position += 1
    }
    defer { position += 1 }
    return current.map { _ in String(decoding: bytes[start..<position], as: UTF8.self) }
  }
}

extension ReadEvent {
  /// Returns true if this is the given recorded event.
  func isSame(as event: Event) -> Bool {
    id == event.id.description && type == event.kind.rawValue && name == event.name && time == event.time
      && install == event.install.description && session == event.session?.description && user == event.user
      && properties == event.properties.elements
  }
}
