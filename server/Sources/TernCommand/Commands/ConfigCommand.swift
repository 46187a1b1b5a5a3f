import ArgumentParser
import ServerBase
import TernServer

/// `tern config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show the settings of the server, and where each value comes from.",
    discussion: """
      Takes the options of `tern serve`. An option comes before the environment variable, the variable before the file
      of settings, and the file before the default. The file is the one that --config or TERN_CONFIG names, otherwise
      config.json in the data directory, if it exists. Values of secret settings are not shown.

      The rules of time zones are the system's (package tzdata), or those in the folder that the environment variable TZDIR names.

      Examples:
        tern config
        TERN_PORT=9000 tern config --config /etc/tern/config.json
      """)

  @OptionGroup var data: DataOption

  @OptionGroup var options: SettingOptions

  func run() throws {
    let settings = try options.settings(data)
    Terminal.say(Self.listing(settings, of: ServerSettings.all))
    let zones = ZoneDatabase.system
    Terminal.say(
      "\nTime zones: \(zones.isBuiltIn ? "those built in, which may be out of date (no files found)" : "\(zones.source)")"
    )
  }

  /// The values of settings with their sources.
  static func listing(_ settings: EffectiveSettings, of all: [any SettingDescription]) -> String {
    let rows = all.map { setting in
      let (texts, source) = settings.texts(setting)
      let value = texts.isEmpty ? "-" : setting.hides(texts) ? "(secret)" : texts.joined(separator: ", ")
      return [setting.name, ServerFailure.line(value), name(of: source)]
    }
    return CommandOutput.table([["Setting", "Value", "From"]] + rows)
  }

  private static func name(of source: EffectiveSettings.Source) -> String {
    switch source {
    case .option(let option): "option \(option)"
    case .environment(let variable): "environment variable \(variable)"
    case .file(let path, _): path
    case .standard: "default"
    }
  }
}
