import TernEvents

/// Puts a hit together: what the library knows, then what the tracker was told, then what this hit was given.
package struct HitComposer: Sendable {
  /// The fields of a tracker.
  package struct Tracker: Sendable {
    package var trackingID: String
    /// By their names with the ampersand.
    package var fields: [String: String]
    package var allowsAdvertisingID: Bool

    package init(trackingID: String, fields: [String: String] = [:], allowsAdvertisingID: Bool = false) {
      self.trackingID = trackingID
      self.fields = fields
      self.allowsAdvertisingID = allowsAdvertisingID
    }
  }

  /// The parameters of a hit, by their names on the wire, and what a developer should know about them.
  package struct Draft: Sendable, Equatable {
    package var parameters: [String: String] = [:]
    package var warnings: [String] = []
    /// The age of the hit, if the app gave its own queue time.
    package var waited: Duration = .zero

    package init() {}
  }

  /// The fields sent with every hit unless they are overridden, by their names on the wire.
  package var automatic: [String: String]

  package init(automatic: [String: String]) { self.automatic = automatic }

  /// Names without an ampersand that the original knew as options of its own.
  private static let options: Set<String> = ["useSecure", "gaiVersion"]
  private static let advertising: Set<String> = ["idfa", "ate"]
  /// Parameters that only the library sets.
  private static let reserved: Set<String> = ["ht", "z", "_s", "v"]

  /// Puts a hit together; it cannot be sent when it has no type.
  package func compose(_ tracker: Tracker, _ values: [String: HitValue]) -> Draft {
    var draft = Draft()
    draft.parameters = automatic
    draft.parameters["tid"] = tracker.trackingID
    for (name, value) in tracker.fields { draft.set(name, .text(value)) }
    if tracker.fields["&sc"] != nil {
      draft.warnings.append("The tracker has &sc: every hit begins or ends a session. Set it on the hit instead.")
    }
    for (name, value) in values { draft.set(name, value) }
    if !tracker.allowsAdvertisingID {
      draft.parameters = draft.parameters.filter { !Self.advertising.contains($0.key) }
    }
    for name in Self.reserved where name != "v" { draft.parameters[name] = nil }
    draft.parameters["v"] = "1"
    // No server accepts a hit without these: clearing them restores the original values.
    if draft.parameters["tid"]?.isEmpty ?? true { draft.parameters["tid"] = tracker.trackingID }
    if draft.parameters["cid"]?.isEmpty ?? true { draft.parameters["cid"] = automatic["cid"] }
    draft.takeQueueTime()
    draft.parameters = Dictionary(
      uniqueKeysWithValues: draft.parameters.map { ($0, WholeNumbers.rounded($1, of: $0)) })
    draft.check()
    draft.warnings.sort()
    return draft
  }

  /// The order on the wire: what every hit has first, the rest by name.
  package static func ordered(_ parameters: [String: String]) -> [(name: String, value: String)] {
    let first = ["v", "tid", "cid", "t"]
    let rest = parameters.keys.filter { !first.contains($0) }.sorted()
    return (first + rest).compactMap { name in parameters[name].map { (name, $0) } }
  }

  /// The warning about a name that never reaches the wire; `nil` when there is nothing to say.
  static func warning(aboutName name: String) -> String? {
    name.hasPrefix("&") || options.contains(name)
      ? nil : "\"\(name)\" has no ampersand, so it is not sent; the names of parameters begin with \"&\"."
  }
}

extension HitComposer.Draft {
  fileprivate mutating func set(_ name: String, _ value: HitValue) {
    if let warning = HitComposer.warning(aboutName: name) { warnings.append(warning) }
    guard name.utf8.count > 1, name.hasPrefix("&") else { return }
    switch value {
    case .text(let text): parameters[String(name.dropFirst())] = text
    case .cleared: parameters[String(name.dropFirst())] = nil
    case .unusable: warnings.append("The value of \"\(name)\" is neither text nor a number; it is left out.")
    }
  }

  /// A hit that already waited elsewhere happened earlier.
  fileprivate mutating func takeQueueTime() {
    guard let text = parameters.removeValue(forKey: "qt") else { return }
    guard let milliseconds = Int64(text), milliseconds >= 0 else {
      return warnings.append("\"&qt\" is no number of milliseconds; it is left out.")
    }
    waited = .milliseconds(min(milliseconds, 7 * 86_400_000))
  }

  private static let required: [String: [String]] = [
    "screenview": ["cd", "an"], "appview": ["cd", "an"], "event": ["ec", "ea"], "transaction": ["ti"],
    "item": ["ti", "in"], "social": ["sn", "sa", "st"], "timing": ["utc", "utv", "utt"],
  ]

  fileprivate mutating func check() {
    let type = parameters["t"] ?? ""
    for name in Self.required[type] ?? [] where parameters[name]?.isEmpty ?? true {
      warnings.append("A hit of type \(type) without \"&\(name)\" is not processed by most servers.")
    }
    if let value = parameters["aip"], value != "1" {
      warnings.append("\"&aip\" masks the address whatever its value, also with \"\(value)\"; set it to nil instead.")
    }
  }
}
