import Foundation
import JSON
import TernServer

/// A file of settings: one JSON object with a member for each setting.
struct SettingsFile: Sendable {
  private static let maximumBytes = 64 << 10

  let path: String
  /// The values by name, as texts.
  let values: [String: [String]]

  /// Reads a file; throws ``ServerFailure`` that names the file and the member if it can't be used.
  init(path: String, known settings: [any SettingDescription] = ServerSettings.all) throws {
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw ServerFailure(
        "The settings in \(path) can't be read: \((error as NSError).localizedFailureReason ?? error.localizedDescription)"
      )
    }
    try self.init(path: path, bytes: bytes, known: settings)
  }

  /// Parses the contents of a file.
  init(path: String, bytes: [UInt8], known settings: [any SettingDescription] = ServerSettings.all) throws {
    guard bytes.count <= Self.maximumBytes else {
      throw ServerFailure("\(path) is too large for a file of settings: at most 64 KiB are allowed.")
    }
    let tree: JSONTree
    do { tree = try JSONTree(parsing: bytes) } catch { throw ServerFailure("\(path): \(error.message)") }
    guard case .object(let members) = tree else {
      throw ServerFailure("\(path) must contain one JSON object, such as {\"port\": 8787}.")
    }
    var values: [String: [String]] = [:]
    for member in members {
      guard let setting = settings.first(where: { $0.name == member.name }) else {
        let names = settings.map(\.name).joined(separator: ", ")
        throw ServerFailure("There is no setting \"\(member.name)\" (in \(path)). The settings are \(names).")
      }
      let texts = try Self.texts(member.value, of: setting, path: path)
      guard values.updateValue(texts, forKey: member.name) == nil else {
        throw ServerFailure("\"\(member.name)\" is given twice in \(path). Remove one of them.")
      }
    }
    self.path = path
    self.values = values
  }

  /// True if some of the values are passwords, or addresses with one.
  var hasSecrets: Bool {
    ServerSettings.all.contains { setting in values[setting.name].map { !$0.isEmpty && setting.hides($0) } ?? false }
  }

  private static func texts(_ value: JSONTree, of setting: any SettingDescription, path: String) throws -> [String] {
    if case .array(let elements) = value, setting.isList {
      return try elements.map { try text($0, of: setting, path: path) }
    }
    return [try text(value, of: setting, path: path)]
  }

  private static func text(_ value: JSONTree, of setting: any SettingDescription, path: String) throws -> String {
    switch value {
    case .text(let text): return text
    case .boolean(let value): return String(value)
    case .number(let number): return Int(exactly: number).map(String.init) ?? String(number)
    case .null, .array, .object:
      let form = setting.isList ? "a text or a list of texts" : "a text, a number, true or false"
      throw ServerFailure("\"\(setting.name)\" in \(path) must be \(form).")
    }
  }
}
