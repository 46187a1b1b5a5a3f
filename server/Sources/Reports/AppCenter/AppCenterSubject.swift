/// The subject of an address of the analytics API.
enum AppCenterSubject: Sendable, Hashable {
  case activeDeviceCounts
  case sessionCounts
  case sessionsPerDevice
  case sessionDurations
  case versions
  case models
  case systems
  case languages
  case places
  case crashCounts
  case logFlow(isGeneric: Bool)
  case events
  case eventCount(String)
  case deviceCount(String)
  case countPerDevice(String)
  case countPerSession(String)
  case properties(String)
  case propertyCounts(event: String, property: String)

  /// App Center's answers that this server does not have, by the first part of the path.
  private static let missing: [String: String] = [
    "audiences": "Audiences belonged to App Center Push; this server has none.",
    "crash_groups": "This API had crash groups for UWP apps only. Use the report errors.",
    "crashfree_device_percentages": "Crashes are not counted by version and device here. Use the report errors.",
    "distribution": "This server distributes no apps.",
    "event_logs": "Stored events are not removed by this API.",
    "export_configurations": "This server exports reports as JSON and CSV instead.",
  ]

  /// The subjects that are addressed by one word.
  private static let single: [String: AppCenterSubject] = [
    "active_device_counts": .activeDeviceCounts, "crash_counts": .crashCounts, "events": .events,
    "generic_log_flow": .logFlow(isGeneric: true), "languages": .languages, "log_flow": .logFlow(isGeneric: false),
    "models": .models, "oses": .systems, "places": .places, "session_counts": .sessionCounts,
    "session_durations_distribution": .sessionDurations, "sessions_per_device": .sessionsPerDevice,
    "versions": .versions,
  ]

  /// Reads the parts of a path below `analytics/`, decoded.
  init(path: [String]) throws(AppCenterFault) {
    if let subject = Self.subject(path) {
      self = subject
    } else if let reason = path.first.flatMap({ Self.missing[$0] }) {
      throw AppCenterFault(.notImplemented, reason)
    } else {
      throw AppCenterFault(.notFound, "There is nothing at this address.")
    }
  }

  private static func subject(_ path: [String]) -> AppCenterSubject? {
    if path.count == 1 { return single[path[0]] }
    guard path.first == "events", path.count > 2 else { return nil }
    let event = path[1]
    switch (path.count, path[2]) {
    case (3, "event_count"): return .eventCount(event)
    case (3, "device_count"): return .deviceCount(event)
    case (3, "count_per_device"): return .countPerDevice(event)
    case (3, "count_per_session"): return .countPerSession(event)
    case (3, "properties"): return .properties(event)
    case (5, "properties") where path[4] == "counts": return .propertyCounts(event: event, property: path[3])
    default: return nil
    }
  }

  /// True if the subject is the current state, for which App Center had no range.
  var isRangeless: Bool {
    switch self {
    case .logFlow, .properties: true
    default: false
    }
  }

  /// The default number of rows in an answer.
  var usualRows: Int {
    if case .propertyCounts = self { 10 } else { 30 }
  }
}
