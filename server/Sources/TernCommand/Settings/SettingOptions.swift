import ArgumentParser
import Foundation

/// Options that are settings of the server: each is also an environment variable and a member of the file of settings.
protocol SettingArguments: ParsableArguments {}

/// The options about a ClickHouse cluster.
struct ClusterOptions: SettingArguments {
  @Option(\.clickhouse) var clickhouse: String?
  @Option(\.clickhouseUser) var clickhouseUser: String?
  @Option(\.clickhouseCredentials) var clickhouseCredentials: String?
  @Option(\.clickhouseDatabase) var clickhouseDatabase: String?
  @Option(\.clickhouseCa) var clickhouseCa: String?
  @Flag(\.clickhouseAttachments) var clickhouseAttachments: Bool?

  func validate() throws { try EffectiveSettings(options: values).check() }
}

/// The options about the ways in which notifications go out.
struct OutgoingOptions: SettingArguments {
  @Option(\.smtp) var smtp: String?
  @Option(\.smtpUser) var smtpUser: String?
  @Option(\.smtpPasswordFile) var smtpPasswordFile: String?
  @Option(\.smtpCa) var smtpCa: String?
  @Option(\.mailFrom) var mailFrom: String?
  @Option(\.allowWebhooksTo) var allowWebhooksTo: [String] = []
  @Option(\.portalUrl) var portalUrl: String?

  func validate() throws { try EffectiveSettings(options: values).check() }
}

/// The options of `tern serve` and `tern config`, apart from those of every command.
struct SettingOptions: SettingArguments {
  @Option(\.host) var host: String?
  @Option(\.port) var port: String?
  @Option(\.tlsCert) var tlsCert: String?
  @Option(\.tlsKey) var tlsKey: String?
  @Option(\.unknownSecret) var unknownSecret: String?
  @Option(\.trustedProxy) var trustedProxy: [String] = []
  @Option(\.viewCacheSize) var viewCacheSize: String?
  @Option(\.diskReserve) var diskReserve: String?
  @Option(\.recognizeDuplicates) var recognizeDuplicates: String?
  @Option(\.keepAtHome) var keepAtHome: String?
  @Option(\.addressRequestsPerSecond) var addressRequestsPerSecond: String?
  @Option(\.addressEventsPerSecond) var addressEventsPerSecond: String?
  @Option(\.addressBytesPerDay) var addressBytesPerDay: String?
  @Option(\.addressInstallsPerDay) var addressInstallsPerDay: String?
  @Flag(\.publicMetrics) var publicMetrics: Bool?
  @Option(\.accessLog) var accessLog: String?
  @Flag(\.accessLogAddresses) var accessLogAddresses: Bool?
  @Option(\.symbolizer) var symbolizer: String?
  @Option(\.backupTo) var backupTo: String?
  @Option(\.backupEvery) var backupEvery: String?
  @Option(\.keepBackups) var keepBackups: String?
  @Option(\.scrubEvery) var scrubEvery: String?
  @Option(\.signIn) var signIn: String?
  @Option(\.loginHeader) var loginHeader: String?
  @Option(\.refusedPasswords) var refusedPasswords: String?
  @OptionGroup var cluster: ClusterOptions
  @OptionGroup var outgoing: OutgoingOptions

  func validate() throws { try EffectiveSettings(options: values).check() }
}

extension SettingArguments {
  /// The options that were given, by the name of their setting.
  var values: [String: [String]] {
    var values: [String: [String]] = [:]
    for child in Mirror(reflecting: self).children {
      if let group = child.value as? OptionGroup<ClusterOptions> { values.merge(group.wrappedValue.values) { $1 } }
      if let group = child.value as? OptionGroup<OutgoingOptions> { values.merge(group.wrappedValue.values) { $1 } }
      let texts: [String] =
        switch child.value {
        case let option as Option<String?>: option.wrappedValue.map { [$0] } ?? []
        case let option as Option<[String]>: option.wrappedValue
        case let flag as Flag<Bool?>: flag.wrappedValue.map { ["\($0)"] } ?? []
        default: []
        }
      if !texts.isEmpty { values[Self.settingName(child.label ?? "")] = texts }
    }
    return values
  }

  /// Returns the name of the setting whose variable is declared as `_trustedProxy`: `trusted-proxy`.
  private static func settingName(_ variable: String) -> String {
    variable.dropFirst().reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
  }

  /// Returns the settings from all sources, after checking all of them.
  func settings(_ data: DataOption) throws -> EffectiveSettings {
    var settings = try data.settings()
    settings.options.merge(values) { $1 }
    try settings.addFile(inDirectory: settings.value(\.data))
    try settings.check()
    return settings
  }
}

extension Option where Value == String? {
  /// Creates the option of a setting. Its text is parsed together with the other sources.
  init(_ path: KeyPath<ServerSettings, some SettingDescription>, completion: CompletionKind? = nil) {
    let setting = ServerSettings.table[keyPath: path]
    self.init(name: .customLong(setting.name), parsing: .unconditional, help: setting.help, completion: completion)
  }
}

extension Option where Value == [String] {
  /// Creates the repeatable option of a setting.
  init(wrappedValue: [String], _ path: KeyPath<ServerSettings, some SettingDescription>) {
    let setting = ServerSettings.table[keyPath: path]
    self.init(wrappedValue: wrappedValue, name: .customLong(setting.name), help: setting.help)
  }
}

extension Flag where Value == Bool? {
  /// Creates the flag of a setting, which can also be taken back.
  init(_ path: KeyPath<ServerSettings, some SettingDescription>) {
    let setting = ServerSettings.table[keyPath: path]
    self.init(name: .customLong(setting.name), inversion: .prefixedNo, help: setting.help)
  }
}
