public import TernValues

/// The names and limits of Tern's own protocol, `POST /v1/events` (docs/protocols.md).
public enum NativeProtocol {
  /// The path of the endpoint, relative to the collector's URL.
  public static let path = "/v1/events"
  /// The header that carries the app's key.
  public static let keyHeader = "Tern-Key"
  /// The header with the readings of the device's clocks when the request was made.
  public static let sentHeader = "Tern-Sent"
  /// The header with the device's event counts: recorded, delivered, waiting, in flight, dropped.
  public static let ledgerHeader = "Tern-Ledger"
  /// The media type of a request: one JSON object per line.
  public static let contentType = "application/x-ndjson"
  /// The maximum size of a request body after decompression, in bytes.
  public static let maximumBodyBytes = 4 << 20
  /// The maximum number of events per request.
  public static let maximumEvents = 2_000
  /// The maximum length of an event, screen or property name, in UTF-8 bytes: room for 256 characters of nearly any
  /// script.
  public static let maximumNameBytes = 768
  /// The maximum length of a text value, in UTF-8 bytes.
  public static let maximumValueBytes = 8 << 10
  /// The maximum number of properties per event.
  public static let maximumProperties = 100
  /// The maximum size of an encoded event, in bytes.
  public static let maximumEventBytes = 64 << 10
}

extension Device {
  /// Returns the device's members of an event line: `"device":{…},"app":{…}`.
  ///
  /// Encode them once and pass them to ``Event/line(device:)``, because they rarely change while a process runs.
  public func encodedMembers() -> [UInt8] {
    var json = JSONWriter(capacity: 256)
    json.raw("\"device\":{\"osName\":")
    json.string(osName)
    json.raw(",\"osVersion\":")
    json.string(osVersion)
    json.member(",\"osBuild\":", osBuild)
    json.member(",\"model\":", model)
    json.member(",\"manufacturer\":", manufacturer)
    json.raw(",\"locale\":")
    json.string(locale)
    json.member(",\"country\":", country)
    json.raw(",\"timeZoneOffset\":")
    json.integer(Int64(timeZoneOffsetMinutes))
    json.raw(",\"sdkName\":")
    json.string(sdkName)
    json.raw(",\"sdkVersion\":")
    json.string(sdkVersion)
    for (name, value) in others.sorted(by: { $0.key < $1.key }) {
      json.raw(",")
      json.string(name)
      json.raw(":")
      json.string(value)
    }
    json.raw("},\"app\":{\"version\":")
    json.string(appVersion)
    json.raw(",\"build\":")
    json.string(appBuild)
    json.member(",\"namespace\":", appNamespace)
    json.raw("}")
    return json.bytes
  }
}

/// The members that many events share. A request carries them once, in a line `{"context":{…}}` before the events.
public struct EventContext: Sendable, Hashable {
  /// The install that recorded the events.
  public var install: UniqueID
  /// The session they belong to, if one was open.
  public var session: UniqueID?
  /// The user named by `identify`, if any.
  public var user: String?
  /// The boot of the events' uptimes, when known.
  public var boot: String?
  /// The result of ``Device/encodedMembers()``.
  public var device: [UInt8]

  /// Creates the context of an event.
  public init(of event: Event, device: [UInt8]) {
    install = event.install
    session = event.session
    user = event.user
    boot = event.boot
    self.device = device
  }

  /// Returns true if this is the context of an event; faster than creating one to compare.
  public func includes(_ event: Event, device: [UInt8]) -> Bool {
    install == event.install && session == event.session && user == event.user && boot == event.boot
      && self.device == device
  }

  /// The members as they stand in the context's object.
  public func encodedMembers() -> [UInt8] {
    var json = JSONWriter(capacity: 256 + device.count)
    json.raw("\"install\":")
    json.identifier(install)
    if let session {
      json.raw(",\"session\":")
      json.identifier(session)
    }
    json.member(",\"user\":", user)
    json.member(",\"boot\":", boot)
    json.raw(",")
    json.raw(device)
    return json.bytes
  }
}

extension NativeProtocol {
  /// The most bytes that a line has besides the members of ``JSONWriter/members(of:)``.
  public static let lineOverheadBytes = 112
  /// The start of an event's own members if its time is among them.
  private static let timeMember = Array("\"time\":".utf8)

  /// Returns true if the members of an event include its time, so that the line must not have another one.
  fileprivate static func includesTime(_ members: ArraySlice<UInt8>) -> Bool { members.starts(with: timeMember) }
}

extension JSONWriter {
  /// Appends the members that only this event has: without id, time and uptime, and without its context.
  ///
  /// An event without an uptime keeps its time here: it happened at another moment than it was recorded.
  public mutating func members(of event: Event) {
    // Member by member, because the closure would copy the event.
    let time = event.uptimeMilliseconds == nil ? event.time : nil
    let (kind, name, properties, details) = (event.kind, event.name, event.properties, event.details)
    write(atMost: event.maximumMemberBytes) { cursor in
      if let time {
        cursor.raw("\"time\":")
        cursor.integer(time.millisecondsSince1970)
        cursor.byte(UInt8(ascii: ","))
      }
      cursor.raw("\"type\":\"")
      cursor.kind(kind)
      cursor.raw("\"")
      cursor.name(name)
      cursor.content(properties, details)
    }
  }

  /// Appends a line of a request body, with its line feed, made of what ``members(of:)`` has written.
  public mutating func line(id: UniqueID, time: Timestamp, uptimeMilliseconds: Int64, members: ArraySlice<UInt8>) {
    write(atMost: NativeProtocol.lineOverheadBytes + members.count) { cursor in
      cursor.raw("{\"id\":\"")
      cursor.identifier(id)
      cursor.raw("\",")
      if !NativeProtocol.includesTime(members) {
        cursor.raw("\"time\":")
        cursor.integer(time.millisecondsSince1970)
        cursor.raw(",\"uptime\":")
        cursor.integer(uptimeMilliseconds)
        cursor.byte(UInt8(ascii: ","))
      }
      members.withUnsafeBufferPointer { cursor.raw($0) }
      cursor.raw("}\n")
    }
  }

  /// Appends the line that begins a context, with its line feed.
  ///
  /// - Parameter members: The result of ``EventContext/encodedMembers()``.
  public mutating func context(_ members: [UInt8]) {
    raw("{\"context\":{")
    raw(members)
    raw("}}\n")
  }
}

extension Event {
  /// Returns the event as one line of a request body, without the line feed.
  ///
  /// - Parameter device: The result of ``Device/encodedMembers()``.
  public func line(device: [UInt8]) -> [UInt8] {
    var json = JSONWriter(capacity: 256 + device.count)
    json.event(self, device: device)
    return json.bytes
  }
}

extension JSONWriter {
  /// Appends an event as one line of a request body, without the line feed.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - device: The result of ``Device/encodedMembers()``.
  public mutating func event(_ event: Event, device: [UInt8]) {
    write(atMost: event.maximumBytes + device.count) { $0.event(event, device: device) }
  }

  fileprivate mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    raw(name)
    string(value)
  }
}

extension Event {
  /// The maximum number of bytes that the event takes as JSON, without the device.
  fileprivate var maximumBytes: Int {
    // Three identifiers take less than 200 bytes.
    maximumMemberBytes + 200 + ((boot?.utf8.count ?? 0) + (user?.utf8.count ?? 0)) * 6
  }

  /// The maximum number of bytes that the members of ``JSONWriter/members(of:)`` take.
  fileprivate var maximumMemberBytes: Int {
    // The other member names and two numbers take less than 150 bytes.
    let fixed = 150 + name.utf8.count * 6 + details.count
    return properties.elements.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return fixed }
      // Through a pointer: a loop over the elements copies each of them.
      return (0..<elements.count).reduce(fixed) {
        $0 + first[$1].name.utf8.count * 6 + 4 + first[$1].value.maximumBytes
      }
    }
  }
}

extension ByteCursor {
  /// Writes at most ``Event/maximumBytes`` and the device.
  fileprivate mutating func event(_ event: Event, device: [UInt8]) {
    raw("{\"id\":\"")
    identifier(event.id)
    raw("\",\"type\":\"")
    kind(event.kind)
    raw("\"")
    name(event.name)
    raw(",\"time\":")
    integer(event.time.millisecondsSince1970)
    if let uptimeMilliseconds = event.uptimeMilliseconds {
      raw(",\"uptime\":")
      integer(uptimeMilliseconds)
    }
    member(",\"boot\":", event.boot)
    raw(",\"install\":\"")
    identifier(event.install)
    raw("\"")
    if let session = event.session {
      raw(",\"session\":\"")
      identifier(session)
      raw("\"")
    }
    member(",\"user\":", event.user)
    content(event.properties, event.details)
    byte(UInt8(ascii: ","))
    device.withUnsafeBufferPointer { raw($0) }
    byte(UInt8(ascii: "}"))
  }

  fileprivate mutating func name(_ name: String) {
    if name.isEmpty { return }
    raw(",\"name\":")
    string(name)
  }

  fileprivate mutating func content(_ properties: Properties, _ details: [UInt8]) {
    if !properties.isEmpty { self.properties(properties.elements) }
    if !details.isEmpty {
      byte(UInt8(ascii: ","))
      details.withUnsafeBufferPointer { raw($0) }
    }
  }

  fileprivate mutating func kind(_ kind: EventKind) {
    switch kind {
    case .event: raw("event")
    case .screen: raw("screen")
    case .sessionStart: raw("session_start")
    case .drops: raw("drops")
    case .handledError: raw("handled_error")
    case .crash: raw("crash")
    case .attachment: raw("attachment")
    }
  }

  private mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    raw(name)
    string(value)
  }

  private mutating func properties(_ elements: [Properties.Element]) {
    raw(",\"properties\":{")
    elements.withUnsafeBufferPointer { elements in
      // Through a pointer: a loop over the elements copies each of them.
      guard let first = elements.baseAddress else { return }
      var isFirst = true
      for index in 0..<elements.count where !isRepeated(first + index, among: elements.count - index) {
        if !isFirst { byte(UInt8(ascii: ",")) }
        isFirst = false
        string(first[index].name)
        byte(UInt8(ascii: ":"))
        value(first[index].value)
      }
    }
    byte(UInt8(ascii: "}"))
  }

  /// Returns true if one of the `count` properties has the same name as the first. JSON parsers treat duplicates
  /// differently, so only the last is sent.
  private func isRepeated(_ first: UnsafePointer<Properties.Element>, among count: Int) -> Bool {
    var other = 1
    while other < count {
      // Compare the lengths first: they are at hand and usually differ.
      if first[other].name.utf8.count == first.pointee.name.utf8.count, first[other].name == first.pointee.name {
        return true
      }
      other += 1
    }
    return false
  }
}
