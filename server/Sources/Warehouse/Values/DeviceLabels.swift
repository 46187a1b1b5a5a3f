package import Ingest

/// The labels under which a device's events are counted and shown; empty if unknown.
package struct DeviceLabels {
  /// `version (build)`.
  package var version: String
  /// `name version`.
  package var system: String
  /// The language of the locale, in lowercase.
  package var language: String

  package init(_ device: IncomingDevice) {
    version = device.appBuild.isEmpty ? device.appVersion : "\(device.appVersion) (\(device.appBuild))"
    if device.appVersion.isEmpty, !device.appBuild.isEmpty { version = "(\(device.appBuild))" }
    system = [device.osName, device.osVersion].filter { !$0.isEmpty }.joined(separator: " ")
    let end = device.locale.firstIndex { $0 == "_" || $0 == "-" || $0 == "." || $0 == "@" }
    language = device.locale[..<(end ?? device.locale.endIndex)].lowercased()
  }
}
