package import Foundation
import Ingest
import TernEvents
package import Warehouse

extension AppCenterQuery {
  /// Returns the response as JSON in App Center's format; rethrows the store's errors.
  package func response(from source: any MetricsStore) async throws -> Data {
    switch subject {
    case .activeDeviceCounts: try await encoded(activeDevices(source))
    case .sessionCounts: try await encoded(steps(sessions(source, days)))
    case .sessionsPerDevice: try await encoded(sessionsPerDevice(source))
    case .sessionDurations: try await encoded(sessionDurations(source))
    case .versions: try await encoded(versionList(source))
    case .models: try await encoded(list("models", "model_name", .model, source))
    case .systems: try await encoded(list("oses", "os_name", .os, source))
    case .languages: try await encoded(list("languages", "language_name", .language, source))
    case .places: try await encoded(list("places", "code", .country, source))
    case .crashCounts: try await encoded(crashes(source))
    case .logFlow: try await encoded(logFlow(source))
    case .events: try await encoded(eventList(source))
    case .eventCount(let event): try await encoded(eventCount(event, source))
    case .deviceCount(let event): try await encoded(deviceCount(event, source))
    case .countPerDevice(let event): try await encoded(countPer("device", event, source))
    case .countPerSession(let event): try await encoded(countPer("session", event, source))
    case .properties(let event):
      try await encoded([
        "event_properties": source.properties(app: app, event: event, days: days, limit: 1).map(\.property)
      ])
    case .propertyCounts(let event, let property): try await encoded(propertyCounts(event, property, source))
    }
  }

  private func encoded(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return try encoder.encode(value)
  }
}
