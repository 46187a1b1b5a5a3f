import Foundation
package import TernEvents

extension Device {
  /// Shows what is known of a device by App Center's names.
  package convenience init(_ facts: TernEvents.Device) {
    self.init(
      wrapperSdkVersion: facts.others["wrapperSdkVersion"], wrapperSdkName: facts.others["wrapperSdkName"],
      wrapperRuntimeVersion: facts.others["wrapperRuntimeVersion"],
      liveUpdateReleaseLabel: facts.others["liveUpdateReleaseLabel"],
      liveUpdateDeploymentKey: facts.others["liveUpdateDeploymentKey"],
      liveUpdatePackageHash: facts.others["liveUpdatePackageHash"])
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
