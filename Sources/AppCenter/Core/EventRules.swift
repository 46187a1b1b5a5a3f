package import TernEvents

/// What App Center's documentation says of events: names of 1 to 256 characters, 20 properties, 125 characters each.
///
/// Lengths count UTF-16 units, as they always did; a cut never splits a character.
package enum EventRules {
  package static let maximumName = 256
  package static let maximumProperties = 20
  package static let maximumText = 125

  /// The name as it is recorded; `nil` when it is empty.
  package static func name(_ name: String, _ notes: inout [Note], tag: Tag = .analytics) -> String? {
    if name.isEmpty {
      notes.append(Note(.error, tag, "An event needs a name; it was not recorded."))
      return nil
    }
    guard name.utf16.count > maximumName else { return name }
    let cut = name.cut(toUTF16: maximumName)
    // No more than is recorded: it may be long, and no business of the log's.
    notes.append(
      Note(.warning, tag, "The name of an event is longer than \(maximumName) characters and was cut: \(cut)"))
    return cut
  }

  /// A dictionary's properties in the order of their names, so that which ones are kept does not depend on chance.
  package static func properties(
    _ dictionary: [String: String], _ notes: inout [Note], tag: Tag = .analytics
  ) -> Properties {
    let elements = dictionary.map { Properties.Element(name: $0.key, value: .string($0.value)) }
    return properties(elements.sorted { $0.name < $1.name }, &notes, tag: tag)
  }

  /// The first properties, cut to their limits.
  package static func properties(
    _ elements: [Properties.Element], _ notes: inout [Note], tag: Tag = .analytics
  ) -> Properties {
    if elements.count > maximumProperties {
      notes.append(
        Note(
          .warning, tag,
          "An event has \(elements.count) properties; the first \(maximumProperties) by name or order were kept."))
    }
    var taken: Set<String> = []
    let kept = elements.prefix(maximumProperties).map { element -> Properties.Element in
      var element = element
      element.name = unique(text(element.name, "name", &notes, tag), among: taken)
      taken.insert(element.name)
      if case .string(let value) = element.value { element.value = .string(text(value, "value", &notes, tag)) }
      return element
    }
    return Properties(kept)
  }

  private static func text(_ text: String, _ what: String, _ notes: inout [Note], _ tag: Tag) -> String {
    guard text.utf16.count > maximumText else { return text }
    let cut = text.cut(toUTF16: maximumText)
    notes.append(
      Note(.warning, tag, "The \(what) of a property is longer than \(maximumText) characters and was cut: \(cut)"))
    return cut
  }

  /// Two names may be alike once they are cut; the later one gets a number, so that neither hides the other.
  private static func unique(_ name: String, among taken: Set<String>) -> String {
    var number = 2
    var result = name
    while taken.contains(result) {
      let suffix = "~\(number)"
      result = name.cut(toUTF16: maximumText - suffix.utf16.count) + suffix
      number += 1
    }
    return result
  }
}

extension Flags {
  /// The priority that the flags stand for.
  package func priority(_ notes: inout [Note]) -> TernEvents.Priority {
    switch rawValue & 0xFF {
    case Flags.normal.rawValue: return .normal
    case Flags.critical.rawValue: return .critical
    default:
      notes.append(Note(.warning, .analytics, "Unknown flags (\(rawValue)); the event is recorded as a normal one."))
      return .normal
    }
  }
}

extension String {
  /// The text, cut between two characters so that it has at most `limit` UTF-16 units.
  ///
  /// A single character longer than that is cut between two Unicode scalars.
  package func cut(toUTF16 limit: Int) -> String {
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
