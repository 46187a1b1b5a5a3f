import TernEvents

/// Composes a hit from automatic fields, overridden by the tracker's fields, overridden by its own values.
package struct HitComposer: Sendable {
  /// The fields of a tracker.
  package struct Tracker: Sendable {
    package var trackingID: String
    /// The fields by name, including the ampersand.
    package var fields: [String: String]
    package var allowsAdvertisingID: Bool

    package init(trackingID: String, fields: [String: String] = [:], allowsAdvertisingID: Bool = false) {
      self.trackingID = trackingID
      self.fields = fields
      self.allowsAdvertisingID = allowsAdvertisingID
    }
  }

  /// The parameters of a hit by their wire names, and warnings for developers.
  package struct Draft: Sendable, Equatable {
    package var parameters: [String: String] = [:]
    package var warnings: [String] = []
    /// The age of the hit, if the app set a queue time.
    package var waited: Duration = .zero

    package init() {}
  }

  /// The fields sent with every hit unless overridden, by their wire names.
  package var automatic: [String: String]

  package init(automatic: [String: String]) { self.automatic = automatic }

  /// Names without an ampersand that are options of the original library.
  private static let options: Set<String> = ["useSecure", "gaiVersion"]
  private static let advertising: Set<String> = ["idfa", "ate"]
  /// Parameters that only the library sets.
  private static let reserved: Set<String> = ["ht", "z", "_s", "v"]

  /// Composes a hit; without a type it cannot be sent.
  package func compose(_ tracker: Tracker, _ values: [String: HitValue]) -> Draft {
    var draft = Draft()
    draft.parameters = automatic
    draft.parameters["tid"] = tracker.trackingID
    for (name, value) in tracker.fields { draft.set(name, .text(value)) }
    if tracker.fields["&sc"] != nil {
      draft.warnings.append("The tracker has &sc, so every hit starts or ends a session. Set it on the hit instead.")
    }
    for (name, value) in values { draft.set(name, value) }
    if !tracker.allowsAdvertisingID {
      draft.parameters = draft.parameters.filter { !Self.advertising.contains($0.key) }
    }
    for name in Self.reserved where name != "v" { draft.parameters[name] = nil }
    draft.parameters["v"] = "1"
    // No server accepts a hit without these, so clearing them restores the original values.
    if draft.parameters["tid"]?.isEmpty ?? true { draft.parameters["tid"] = tracker.trackingID }
    if draft.parameters["cid"]?.isEmpty ?? true { draft.parameters["cid"] = automatic["cid"] }
    draft.takeQueueTime()
    draft.parameters = Dictionary(
      uniqueKeysWithValues: draft.parameters.map { ($0, WholeNumbers.rounded($1, of: $0)) })
    draft.check()
    draft.warnings.sort()
    return draft
  }

  /// The parameters in wire order: those of every hit first, the rest by name.
  package static func ordered(_ parameters: [String: String]) -> [(name: String, value: String)] {
    let first = ["v", "tid", "cid", "t"]
    let rest = parameters.keys.filter { !first.contains($0) }.sorted()
    return (first + rest).compactMap { name in parameters[name].map { (name, $0) } }
  }

  /// A warning about a name that is never sent; `nil` if it is valid.
  static func warning(aboutName name: String) -> String? {
    name.hasPrefix("&") || options.contains(name)
      ? nil : "\"\(name)\" is not sent because it has no ampersand: parameter names start with \"&\"."
  }
}

extension HitComposer.Draft {
  fileprivate mutating func set(_ name: String, _ value: HitValue) {
    if let warning = HitComposer.warning(aboutName: name) { warnings.append(warning) }
    guard name.utf8.count > 1, name.hasPrefix("&") else { return }
    switch value {
    case .text(let text): parameters[String(name.dropFirst())] = text
    case .cleared: parameters[String(name.dropFirst())] = nil
    case .unusable: warnings.append("The value of \"\(name)\" is neither a string nor a number; it is ignored.")
    }
  }

  /// Moves the app's queue time into `waited`: the hit happened that much earlier.
  fileprivate mutating func takeQueueTime() {
    guard let text = parameters.removeValue(forKey: "qt") else { return }
    guard let milliseconds = Int64(text), milliseconds >= 0 else {
      return warnings.append("\"&qt\" is not a number of milliseconds; it is ignored.")
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
      warnings.append("Most servers do not process a hit of type \(type) without \"&\(name)\".")
    }
    if let value = parameters["aip"], value != "1" {
      warnings.append("\"&aip\" masks the IP address even with the value \"\(value)\"; to turn it off, set it to nil.")
    }
  }
}
