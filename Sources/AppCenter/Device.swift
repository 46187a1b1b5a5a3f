// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
package import TernEvents

/// The properties of a device.
#if canImport(ObjectiveC)
  @objcMembers
  @objc(MSACDevice)
#endif
public final class Device: WrapperSdk {
  /// The SDK's name.
  public internal(set) var sdkName: String!
  /// The SDK's version.
  public internal(set) var sdkVersion: String!
  /// The model.
  public internal(set) var model: String!
  /// The manufacturer.
  public internal(set) var oemName: String!
  /// The operating system.
  public internal(set) var osName: String!
  /// Its version.
  public internal(set) var osVersion: String!
  /// Its build.
  public internal(set) var osBuild: String!
  /// Its API level.
  public internal(set) var osApiLevel: NSNumber!
  /// The locale.
  public internal(set) var locale: String!
  /// Minutes east of UTC.
  public internal(set) var timeZoneOffset: NSNumber!
  /// The size of the screen.
  public internal(set) var screenSize: String!
  /// The app's version.
  public internal(set) var appVersion: String!
  /// The mobile carrier.
  public internal(set) var carrierName: String!
  /// The country of the mobile carrier.
  public internal(set) var carrierCountry: String!
  /// The app's build.
  public internal(set) var appBuild: String!
  /// The app's bundle identifier.
  public internal(set) var appNamespace: String!
}

extension Device {
  /// Creates a device with App Center's names.
  package convenience init(_ facts: TernEvents.Device) {
    self.init(facts: facts.others)
    sdkName = facts.sdkName
    sdkVersion = facts.sdkVersion
    model = facts.model
    oemName = facts.manufacturer
    osName = facts.osName
    osVersion = facts.osVersion
    osBuild = facts.osBuild
    osApiLevel = facts.others["osApiLevel"].flatMap { Int($0) }.map { NSNumber(value: $0) }
    locale = facts.locale
    timeZoneOffset = NSNumber(value: facts.timeZoneOffsetMinutes)
    screenSize = facts.screenSize
    appVersion = facts.appVersion
    carrierName = facts.others["carrierName"]
    carrierCountry = facts.country
    appBuild = facts.appBuild
    appNamespace = facts.appNamespace
  }
}
