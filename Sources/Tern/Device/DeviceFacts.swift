import Foundation
import TernEvents

extension Device {
  /// The current facts about this device and app.
  static var current: Device {
    var device = fixedFacts
    let locale = currentLocale()
    device.locale = locale
    device.country = region(ofLocale: locale)
    device.timeZoneOffsetMinutes = minutesEastOfUTC()
    device.screenSize = currentScreen()
    return device
  }

  /// The current offset from UTC in minutes. The C library computes it: Foundation's `TimeZone` keeps the zone from the
  /// start of the process and loads megabytes of calendar data.
  private static func minutesEastOfUTC() -> Int {
    var now = time(nil)
    var parts = tm()
    tzset()
    localtime_r(&now, &parts)
    return parts.tm_gmtoff / 60
  }

  /// Facts that cannot change while the process runs.
  private static let fixedFacts: Device = {
    var device = platformFacts()
    let info = Bundle.main.infoDictionary
    device.appVersion = info?["CFBundleShortVersionString"] as? String ?? "0"
    device.appBuild = info?["CFBundleVersion"] as? String ?? "0"
    device.appNamespace = Bundle.main.bundleIdentifier ?? TernClient.Configuration.executableName
    return device
  }()

  /// The region of a locale such as `pt_BR`, `zh_Hant_TW` or `de-AT`: two letters or three digits after the language.
  static func region(ofLocale locale: String) -> String? {
    let base = locale.prefix { $0 != "." && $0 != "@" }
    return base.split { $0 == "_" || $0 == "-" }.dropFirst().first { part in
      part.utf8.count == 2 && part.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
        || part.utf8.count == 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
    .map { $0.uppercased() }
  }

  /// The facts with the configuration's overrides, and its values for what the bundle lacks.
  func completed(by configuration: TernClient.Configuration) -> Device {
    var device = self
    if device.appVersion.isEmpty || device.appVersion == "0" { device.appVersion = configuration.appVersion ?? "0" }
    if device.appBuild.isEmpty || device.appBuild == "0" { device.appBuild = configuration.appBuild ?? "0" }
    if !configuration.reportsRegionAsCountry { device.country = nil }
    if let country = configuration.countryCode { device.country = country.uppercased() }
    return device
  }
}
