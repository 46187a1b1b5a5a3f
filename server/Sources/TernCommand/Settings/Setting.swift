import ArgumentParser

/// A setting without the type of its value.
protocol SettingDescription: Sendable {
  /// The name of the option without `--`, and of the member in a file of settings.
  var name: String { get }
  /// The name of the value in help texts; `nil` for a setting that is true or false.
  var valueName: String? { get }
  /// One sentence about the setting's effect.
  var explanation: String { get }
  /// The default value as text; `nil` for none.
  var standard: String? { get }
  /// True if there can be several values.
  var isList: Bool { get }
  /// True if the value must not be shown. There is no option for it, because others can read command lines.
  var isSecret: Bool { get }

  /// Checks values; throws `ValidationError` with what is allowed.
  func check(_ texts: [String]) throws
}

extension SettingDescription {
  /// True if the given values must not be shown: an address may have a password.
  func hides(_ texts: [String]) -> Bool { isSecret || texts.contains { $0.contains("://") && $0.contains("@") } }
}

/// A setting of the server, with one name for its option, its environment variable and its member in a file of settings.
struct Setting<Value: Sendable>: SettingDescription {
  let name: String
  let valueName: String?
  let explanation: String
  let standard: String?
  let isList: Bool
  var isSecret = false
  /// Parses the values, none if the setting has no default and is not set.
  let parse: @Sendable ([String]) throws -> Value

  func check(_ texts: [String]) throws { _ = try parse(texts) }
}

extension Setting {
  /// Creates a setting with one value.
  init(
    _ name: String, _ valueName: String, _ explanation: String, standard: String,
    parse: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(name: name, valueName: valueName, explanation: explanation, standard: standard, isList: false) {
      try parse($0.last ?? standard)
    }
  }

  /// Creates a setting without a default.
  init<Wrapped>(
    _ name: String, _ valueName: String, _ explanation: String, parse: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(name: name, valueName: valueName, explanation: explanation, standard: nil, isList: false) {
      try $0.last.map(parse)
    }
  }

  /// Creates a setting with any number of values.
  init<Element>(
    list name: String, _ valueName: String, _ explanation: String,
    parse: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(name: name, valueName: valueName, explanation: explanation, standard: nil, isList: true) {
      try $0.map(parse)
    }
  }
}

extension Setting where Value == Bool {
  /// Creates a setting that is false by default.
  init(flag name: String, _ explanation: String) {
    self.init(name: name, valueName: nil, explanation: explanation, standard: "false", isList: false) { texts in
      guard let value = Bool(texts.last ?? "false") else { throw ValidationError("Enter true or false.") }
      return value
    }
  }
}

extension SettingDescription {
  /// The environment variable, such as `TERN_BACKUP_TO`.
  var variable: String { "TERN_" + name.uppercased().replacing("-", with: "_") }

  /// The help of the option.
  var help: ArgumentHelp {
    let standard = standard.map { " (default: \($0))" } ?? ""
    return ArgumentHelp("\(explanation)\(valueName == nil ? "" : standard)", valueName: valueName)
  }
}
