package import TernEvents

/// App Center's documented limits: names of 1 to 256 characters, 20 properties, 125 characters each.
///
/// Lengths are in UTF-16 units, as in the original; truncation never splits a character.
package enum EventRules {
  package static let maximumName = 256
  package static let maximumProperties = 20
  package static let maximumText = 125

  /// Returns the name to record; `nil` when it is empty.
  package static func name(_ name: String, _ messages: inout [LogMessage], tag: Tag = .analytics) -> String? {
    if name.isEmpty {
      messages.add(.error, tag, "An event needs a name; it was not recorded.")
      return nil
    }
    guard name.utf16.count > maximumName else { return name }
    let truncated = name.truncated(toUTF16: maximumName)
    // Log only the recorded part: the rest may be long or confidential.
    messages.add(
      .warning, tag, "The name of an event is longer than \(maximumName) characters and was truncated: \(truncated)")
    return truncated
  }

  /// Returns the properties of a dictionary, sorted by name so that the ones kept are not random.
  package static func properties(
    _ dictionary: [String: String], _ messages: inout [LogMessage], tag: Tag = .analytics
  ) -> Properties {
    let elements = dictionary.map { Properties.Element(name: $0.key, value: .string($0.value)) }
    return properties(elements.sorted { $0.name < $1.name }, &messages, tag: tag)
  }

  /// The first properties, truncated to their limits.
  package static func properties(
    _ elements: [Properties.Element], _ messages: inout [LogMessage], tag: Tag = .analytics
  ) -> Properties {
    if elements.count > maximumProperties {
      messages.add(
        .warning, tag,
        "An event has \(elements.count) properties; the first \(maximumProperties) by name or order were kept.")
    }
    var taken: Set<String> = []
    let kept = elements.prefix(maximumProperties).map { element -> Properties.Element in
      var element = element
      element.name = unique(text(element.name, "name", &messages, tag), among: taken)
      taken.insert(element.name)
      if case .string(let value) = element.value { element.value = .string(text(value, "value", &messages, tag)) }
      return element
    }
    return Properties(kept)
  }

  private static func text(_ text: String, _ what: String, _ messages: inout [LogMessage], _ tag: Tag) -> String {
    guard text.utf16.count > maximumText else { return text }
    let truncated = text.truncated(toUTF16: maximumText)
    messages.add(
      .warning, tag,
      "The \(what) of a property is longer than \(maximumText) characters and was truncated: \(truncated)")
    return truncated
  }

  /// Appends a number to a name that truncation made equal to an earlier one.
  private static func unique(_ name: String, among taken: Set<String>) -> String {
    var number = 2
    var result = name
    while taken.contains(result) {
      let suffix = "~\(number)"
      result = name.truncated(toUTF16: maximumText - suffix.utf16.count) + suffix
      number += 1
    }
    return result
  }
}

extension Flags {
  /// The priority that corresponds to the flags.
  package func priority(_ messages: inout [LogMessage]) -> TernEvents.Priority {
    switch rawValue & 0xFF {
    case Flags.normal.rawValue: return .normal
    case Flags.critical.rawValue: return .critical
    default:
      messages.add(.warning, .analytics, "Unknown flags (\(rawValue)); the event is recorded as a normal one.")
      return .normal
    }
  }
}

extension String {
  /// Returns the longest prefix of whole characters with at most `limit` UTF-16 units.
  ///
  /// A single longer character is split between two Unicode scalars.
  package func truncated(toUTF16 limit: Int) -> String {
    if utf16.count <= limit { return self }
    var end = startIndex
    var units = 0
    while end < endIndex {
      let next = index(after: end)
      units += self[end..<next].utf16.count
      if units > limit { break }
      end = next
    }
    if end > startIndex { return String(self[..<end]) }
    units = 0
    while end < endIndex {
      units += unicodeScalars[end].utf16.count
      if units > limit { break }
      end = unicodeScalars.index(after: end)
    }
    return String(unicodeScalars[..<end])
  }
}
