/// The facts about device and app that travel with every event.
///
/// Field names follow the `device` object of the App Center protocol (docs/protocols.md), so that all clients fill
/// the same reports.
public struct Device: Sendable, Hashable {
  /// The operating system, for example `iOS` or `Debian GNU/Linux`.
  public var osName: String
  /// Its version, for example `17.4.1`.
  public var osVersion: String
  /// Its build, if known.
  public var osBuild: String?
  /// The device model or machine, for example `iPhone15,2` or `x86_64`.
  public var model: String?
  /// The manufacturer, if known.
  public var manufacturer: String?
  /// The locale, for example `pt_BR`.
  public var locale: String
  /// The ISO 3166 country code in uppercase, if known.
  public var country: String?
  /// The offset from UTC in minutes, positive to the east.
  public var timeZoneOffsetMinutes: Int
  /// The app's version; "0" if it has none.
  public var appVersion: String
  /// The app's build; "0" if it has none.
  public var appBuild: String
  /// The bundle identifier or executable name.
  public var appNamespace: String?
  /// The screen size in pixels, for example `1170x2532`, if known; not part of Tern's own protocol.
  public var screenSize: String?
  /// The name of the client library, for example `tern-swift`.
  public var sdkName: String
  /// The version of the client library, for example `0.1.0`.
  public var sdkVersion: String
  /// Further facts, by their names in the App Center protocol, for example `wrapperSdkName`; none by default.
  ///
  /// Must not include names of the facts above.
  public var others: [String: String]

  /// Creates device facts.
  public init(
    osName: String, osVersion: String, osBuild: String? = nil, model: String? = nil, manufacturer: String? = nil,
    locale: String, country: String? = nil, timeZoneOffsetMinutes: Int = 0, appVersion: String = "0",
    appBuild: String = "0", appNamespace: String? = nil, sdkName: String = "tern-swift",
    sdkVersion: String = ternVersion, others: [String: String] = [:], screenSize: String? = nil
  ) {
    self.osName = osName
    self.osVersion = osVersion
    self.osBuild = osBuild
    self.model = model
    self.manufacturer = manufacturer
    self.locale = locale
    self.country = country
    self.timeZoneOffsetMinutes = timeZoneOffsetMinutes
    self.appVersion = appVersion
    self.appBuild = appBuild
    self.appNamespace = appNamespace
    self.sdkName = sdkName
    self.sdkVersion = sdkVersion
    self.others = others
    self.screenSize = screenSize
  }
}

/// The version of this package.
public let ternVersion = "0.1.0"
