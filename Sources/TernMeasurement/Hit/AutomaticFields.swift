package import TernEvents

/// The automatic parameters with facts about the app and the device.
package enum AutomaticFields {
  /// The value by which the original library identified its version.
  package static let library = "mi3.1.7"

  /// The fields of every hit.
  package static func fields(of device: Device, appName: String?, clientID: String) -> [String: String] {
    var fields = ["cid": clientID, "ds": "app", "_v": library, "av": device.appVersion]
    fields["an"] = appName ?? device.appNamespace
    fields["aid"] = device.appNamespace
    fields["dm"] = device.model
    fields["sr"] = device.screenSize
    fields["ul"] = device.locale.replacing("_", with: "-").lowercased()
    return fields
  }

  /// The user agent with library, system, model and language, from which servers derive the system's version.
  package static func userAgent(of device: Device) -> String {
    let language = device.locale.replacing("_", with: "-").lowercased()
    let text =
      "GoogleAnalytics/3.17 (\(device.model ?? device.osName); U; \(device.osName) \(device.osVersion); \(language)) "
      + "tern/\(device.sdkVersion)"
    return String(text.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
  }
}
