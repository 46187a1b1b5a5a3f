public import Foundation
import Ingest
import TernEvents
public import Warehouse

extension AppCenterQuestion {
  /// The answer as JSON, in App Center's shape; throws what the source throws.
  public func answer(from source: any FigureSource) throws -> Data {
    switch subject {
    case .activeDeviceCounts: try encoded(activeDevices(source))
    case .sessionCounts: try encoded(steps(try sessions(source, days)))
    case .sessionsPerDevice: try encoded(sessionsPerDevice(source))
    case .sessionDurations: try encoded(sessionDurations(source))
    case .versions: try encoded(versionList(source))
    case .models: try encoded(list("models", "model_name", .model, source))
    case .systems: try encoded(list("oses", "os_name", .os, source))
    case .languages: try encoded(list("languages", "language_name", .language, source))
    case .places: try encoded(list("places", "code", .country, source))
    case .crashCounts: try encoded(crashes(source))
    case .logFlow: try encoded(logFlow(source))
    case .events: try encoded(eventList(source))
    case .eventCount(let event): try encoded(eventCount(event, source))
    case .deviceCount(let event): try encoded(deviceCount(event, source))
    case .countPerDevice(let event): try encoded(countPer("device", event, source))
    case .countPerSession(let event): try encoded(countPer("session", event, source))
    case .properties(let event):
      try encoded([
        "event_properties": try source.properties(app: app, event: event, days: days, limit: 1).map(\.property)
      ])
    case .propertyCounts(let event, let property): try encoded(propertyCounts(event, property, source))
    }
  }

  private func encoded(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return try encoder.encode(value)
  }
}
