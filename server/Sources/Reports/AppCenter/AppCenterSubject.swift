/// The subject of a path of the analytics API.
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

  /// App Center's subjects that this server does not support, by the first part of the path.
  private static let missing: [String: String] = [
    "audiences": "Audiences were part of App Center Push, which this server doesn't have.",
    "crash_groups": "This API had crash groups for UWP apps only. Use the report errors.",
    "crashfree_device_percentages": "This server doesn't count crashes by version and device. Use the report errors.",
    "distribution": "This server doesn't distribute apps.",
    "event_logs": "This API can't delete stored events.",
    "export_configurations": "This server exports reports as JSON and CSV instead.",
  ]

  /// The subjects with a path of a single part.
  private static let single: [String: AppCenterSubject] = [
    "active_device_counts": .activeDeviceCounts, "crash_counts": .crashCounts, "events": .events,
    "generic_log_flow": .logFlow(isGeneric: true), "languages": .languages, "log_flow": .logFlow(isGeneric: false),
    "models": .models, "oses": .systems, "places": .places, "session_counts": .sessionCounts,
    "session_durations_distribution": .sessionDurations, "sessions_per_device": .sessionsPerDevice,
    "versions": .versions,
  ]

  /// True if the answer shows single events.
  var showsPersonalData: Bool {
    if case .logFlow = self { true } else { false }
  }

  /// Parses the parts of a path below `analytics/`, decoded.
  init(path: [String]) throws(AppCenterError) {
    if let subject = Self.subject(path) {
      self = subject
    } else if let reason = path.first.flatMap({ Self.missing[$0] }) {
      throw AppCenterError(.notImplemented, reason)
    } else {
      throw AppCenterError(.notFound, "Nothing has this address. Check its spelling.")
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

  /// True if the subject is the current state, which has no range in App Center.
  var isRangeless: Bool {
    switch self {
    case .logFlow, .properties: true
    default: false
    }
  }

  /// The default number of rows in a response.
  var usualRows: Int {
    if case .propertyCounts = self { 10 } else { 30 }
  }
}
