import ArgumentParser
import Foundation

/// The options of `tern serve` and `tern config`, apart from those of every command.
struct SettingOptions: ParsableArguments {
  @Option(ServerSettings.host) var host: String?
  @Option(ServerSettings.port) var port: String?
  @Option(ServerSettings.tlsCert) var tlsCert: String?
  @Option(ServerSettings.tlsKey) var tlsKey: String?
  @Option(ServerSettings.unknownSecret) var unknownSecret: String?
  @Option(ServerSettings.trustedProxy) var trustedProxy: [String] = []
  @Option(ServerSettings.viewCacheSize) var viewCacheSize: String?
  @Option(ServerSettings.diskReserve) var diskReserve: String?
  @Option(ServerSettings.addressRequests) var addressRequests: String?
  @Option(ServerSettings.addressEvents) var addressEvents: String?
  @Option(ServerSettings.addressBytes) var addressBytes: String?
  @Option(ServerSettings.addressInstalls) var addressInstalls: String?
  @Flag(ServerSettings.publicMetrics) var publicMetrics: Bool?
  @Option(ServerSettings.accessLog) var accessLog: String?
  @Flag(ServerSettings.accessLogAddresses) var accessLogAddresses: Bool?
  @Option(ServerSettings.backupTo) var backupTo: String?
  @Option(ServerSettings.backupEvery) var backupEvery: String?
  @Option(ServerSettings.keepBackups) var keepBackups: String?

  /// The options that were given, by the name of their setting.
  var values: [String: [String]] {
    let single: [(any SettingDescription, String?)] = [
      (ServerSettings.host, host), (ServerSettings.tlsCert, tlsCert), (ServerSettings.tlsKey, tlsKey),
      (ServerSettings.port, port), (ServerSettings.unknownSecret, unknownSecret),
      (ServerSettings.viewCacheSize, viewCacheSize), (ServerSettings.diskReserve, diskReserve),
      (ServerSettings.addressRequests, addressRequests), (ServerSettings.addressEvents, addressEvents),
      (ServerSettings.addressBytes, addressBytes), (ServerSettings.addressInstalls, addressInstalls),
      (ServerSettings.publicMetrics, publicMetrics.map(String.init)), (ServerSettings.accessLog, accessLog),
      (ServerSettings.accessLogAddresses, accessLogAddresses.map(String.init)), (ServerSettings.backupTo, backupTo),
      (ServerSettings.backupEvery, backupEvery), (ServerSettings.keepBackups, keepBackups),
    ]
    var values: [String: [String]] = [:]
    for (setting, text) in single { values[setting.name] = text.map { [$0] } }
    if !trustedProxy.isEmpty { values[ServerSettings.trustedProxy.name] = trustedProxy }
    return values
  }

  /// Returns the settings from all sources, after checking all of them.
  func settings(_ data: DataOption) throws -> EffectiveSettings {
    var settings = try data.settings()
    settings.options.merge(values) { $1 }
    try settings.addFile(inDirectory: settings.value(ServerSettings.data))
    try settings.check()
    return settings
  }

  func validate() throws { try EffectiveSettings(options: values).check() }
}

extension Option where Value == String? {
  /// Creates the option of a setting. Its text is parsed together with the other sources.
  init(_ setting: some SettingDescription, completion: CompletionKind? = nil) {
    self.init(name: .customLong(setting.name), parsing: .unconditional, help: setting.help, completion: completion)
  }
}

extension Option where Value == [String] {
  /// Creates the repeatable option of a setting.
  init(wrappedValue: [String], _ setting: some SettingDescription) {
    self.init(wrappedValue: wrappedValue, name: .customLong(setting.name), help: setting.help)
  }
}

extension Flag where Value == Bool? {
  /// Creates the flag of a setting, which can also be taken back.
  init(_ setting: some SettingDescription) {
    self.init(name: .customLong(setting.name), inversion: .prefixedNo, help: setting.help)
  }
}
