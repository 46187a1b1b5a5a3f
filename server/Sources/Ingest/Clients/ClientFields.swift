import TernBase
import TernEvents

/// Values that clients of several systems write alike.
extension RawJSON {
  /// The members of an object as properties, in their order; null has no value.
  func properties(_ limits: IngestLimits, where isKept: (String) -> Bool = { _ in true }) -> [Properties.Element] {
    var properties: [Properties.Element] = []
    forEachMember { name, value in
      guard properties.count < limits.maximumProperties else { return }
      let name = RawJSON.name(name, limit: limits.maximumNameBytes)
      guard !name.isEmpty, isKept(name), let value = value.property(limit: limits.maximumValueBytes) else { return }
      properties.append(Properties.Element(name: name, value: value))
    }
    return properties
  }

  /// The members with some names, the last ones if names are repeated, in one walk.
  func members(_ names: StaticString...) -> [RawJSON?] {
    var found = [RawJSON?](repeating: nil, count: names.count)
    forEachMember { name, value in
      guard let index = names.firstIndex(where: { RawJSON.spells(name, $0) }), !value.isNull else { return }
      found[index] = value
    }
    return found
  }

  /// A time as text, or as a number of seconds or milliseconds since 1970.
  var time: Timestamp? {
    if let escaped = escapedText {
      guard escaped.count <= 64 else { return nil }
      return writtenTime(escaped) ?? Timestamp(number: String(decoding: escaped, as: UTF8.self))
    }
    return number.flatMap(Timestamp.init(number:))
  }

  func name(_ limits: IngestLimits) -> String { lenientText(limit: limits.maximumNameBytes) }
}

extension Timestamp {
  /// Creates a time from a number of seconds, with or without a fraction, or of milliseconds: seconds of this size would be in
  /// the year 5138.
  init?(number: Double) {
    guard number.isFinite else { return nil }
    let milliseconds = abs(number) < 1e11 ? number * 1e3 : number
    let limit = 9e15
    self.init(millisecondsSince1970: Int64(min(max(milliseconds, -limit), limit)))
  }

  /// Creates a time from the digits of such a number. Texts such as `nan` and `0x1p4` are numbers for Swift, but no times.
  init?(number text: String) {
    guard text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }), let number = Double(text) else { return nil }
    self.init(number: number)
  }
}

extension ClientEvent {
  /// Adds the members of some objects as properties, as far as there is room.
  mutating func addProperties(of objects: [RawJSON?], _ limits: IngestLimits) {
    for case let object? in objects {
      properties += object.properties(limits).prefix(max(limits.maximumProperties - properties.count, 0))
    }
  }
}

extension StoredKind {
  /// The kind of a record that says something of its person and is no event.
  static let personRecord = StoredKind.other
}
