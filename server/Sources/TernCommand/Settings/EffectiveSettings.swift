import ArgumentParser
import Foundation
import TernServer

/// The settings of a server from all sources: an option comes before the environment, the environment before the file,
/// and the file before the default.
struct EffectiveSettings: Sendable {
  /// The name of a file of settings in the data directory.
  static let fileName = "config.json"
  /// The environment variable that names a file of settings.
  static let fileVariable = "TERN_CONFIG"

  /// The origin of a value.
  enum Source: Equatable {
    case option(String)
    case environment(String)
    case file(String, name: String)
    case standard
  }

  /// The values of options by the name of the setting.
  var options: [String: [String]] = [:]
  /// The environment of the process.
  var environment: [String: String] = [:]
  /// The file of settings, if there is one.
  var file: SettingsFile?

  /// Returns the value of a setting; throws if it is invalid.
  func value<Value>(_ path: KeyPath<ServerSettings, Setting<Value>>) throws -> Value {
    let setting = ServerSettings.table[keyPath: path]
    let (texts, source) = texts(setting)
    do {
      return try setting.parse(texts)
    } catch {
      throw Self.failure(error, texts, setting, source)
    }
  }

  /// Returns a setting's values as texts, and their origin.
  func texts(_ setting: any SettingDescription) -> ([String], Source) {
    if let texts = options[setting.name] { return (texts, .option("--" + setting.name)) }
    // Empty variables are those that a script or a container leaves unset.
    if let text = environment[setting.variable], !text.isEmpty {
      let texts = setting.isList ? text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } : [text]
      return (texts, .environment(setting.variable))
    }
    if let file, let texts = file.values[setting.name] { return (texts, .file(file.path, name: setting.name)) }
    return (setting.standard.map { [$0] } ?? [], .standard)
  }

  /// Checks all settings; throws the first mistake.
  func check(_ settings: [any SettingDescription] = ServerSettings.all) throws {
    for setting in settings {
      let (texts, source) = texts(setting)
      do { try setting.check(texts) } catch { throw Self.failure(error, texts, setting, source) }
    }
  }

  /// Adds the file in a data directory, if it exists and no other file was named.
  mutating func addFile(inDirectory directory: String) throws {
    let path = directory + "/" + Self.fileName
    guard file == nil, FileManager.default.fileExists(atPath: path) else { return }
    let file = try SettingsFile(path: path)
    guard file.values[ServerSettings.table.data.name] == nil else {
      throw ServerFailure("\"data\" can't be set in \(path), which is in the data directory. Use --data or TERN_DATA.")
    }
    self.file = file
  }

  private static func failure(
    _ error: any Error, _ texts: [String], _ setting: any SettingDescription, _ source: Source
  ) -> any Error {
    guard let error = error as? ValidationError else { return error }
    let place =
      switch source {
      case .option(let option): option
      case .environment(let variable): variable
      case .file(let path, let name): "\"\(name)\" in \(path)"
      case .standard: setting.name
      }
    let value = setting.hides(texts) ? "" : " \"\(texts.joined(separator: ", "))\""
    return ServerFailure("The value\(value) of \(place) is invalid. \(error.message)")
  }
}
