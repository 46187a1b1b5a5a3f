public import Foundation
import Ingest
import TernEvents
public import Warehouse

extension AppCenterQuestion {
  /// What App Center could tell and this server cannot, by the first part of the path.
  private static let missing: [String: String] = [
    "audiences": "Audiences belonged to App Center Push; this server has none.",
    "crash_groups": "This API had crash groups for UWP apps only. Use the report errors.",
    "crashfree_device_percentages": "Crashes are not counted by version and device here. Use the report errors.",
    "distribution": "This server distributes no apps.",
    "event_logs": "Stored events are not removed by this API.",
    "export_configurations": "This server exports reports as JSON and CSV instead.",
  ]

  /// The answer as JSON, in App Center's shape; throws ``AppCenterFault``, and what the source throws.
  public func answer(from source: any FigureSource) throws -> Data {
    switch path.first {
    case "active_device_counts": return try encoded(activeDevices(source))
    case "session_counts": return try encoded(steps(try sessions(source, days)))
    case "sessions_per_device": return try encoded(sessionsPerDevice(source))
    case "session_durations_distribution": return try encoded(sessionDurations(source))
    case "versions":
      let before = counts(try source.versions(app: app, days: previousDays))
      let versions = try source.versions(app: app, days: days)
        .filter { versionNames.isEmpty || Set(versionNames.map { ExactText($0) }).contains(ExactText($0.key)) }
      return try encoded(
        AppCenterList("versions", "version", versions.prefix(top), before, total: try users(source)))
    case "models": return try encoded(list("models", "model_name", .model, source))
    case "oses": return try encoded(list("oses", "os_name", .os, source))
    case "languages": return try encoded(list("languages", "language_name", .language, source))
    case "places": return try encoded(list("places", "code", .country, source))
    case "crash_counts": return try encoded(crashes(source))
    case "log_flow", "generic_log_flow": return try encoded(logFlow(source))
    case "events": return try events(source)
    default: throw missing
    }
  }

  private var missing: AppCenterFault {
    guard let first = path.first, let reason = Self.missing[first] else {
      return AppCenterFault(.notFound, "There is nothing at this address.")
    }
    return AppCenterFault(.notImplemented, reason)
  }

  private func events(_ source: any FigureSource) throws -> Data {
    guard path.count > 1 else { return try encoded(eventList(source)) }
    let name = path[1]
    switch Array(path.dropFirst(2)) {
    case ["event_count"]: return try encoded(eventCount(name, source))
    case ["device_count"]: return try encoded(deviceCount(name, source))
    case ["count_per_device"]: return try encoded(countPer("device", name, source))
    case ["count_per_session"]: return try encoded(countPer("session", name, source))
    case ["properties"]:
      let properties = try source.properties(app: app, event: name, days: days, limit: 1)
      return try encoded(["event_properties": properties.map(\.property)])
    case let rest where rest.count == 3 && rest[0] == "properties" && rest[2] == "counts":
      return try encoded(propertyCounts(name, rest[1], source))
    default: throw missing
    }
  }

  private func encoded(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return try encoder.encode(value)
  }
}
