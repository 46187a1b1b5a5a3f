import Ingest
import TernEvents
import Warehouse

struct AppCenterLogFlow: Encodable {
  struct Device: Encodable {
    var appBuild: String
    var appVersion: String
    var carrierCountry: String?
    var locale: String
    var model: String?
    var osName: String
    var osVersion: String
    var sdkName: String
    var sdkVersion: String
    var timeZoneOffset: Int
  }

  struct Log: Encodable {
    var type: String
    var timestamp: String
    var installId: String
    var eventName: String?
    var properties: [String: String]?
    var device: Device
  }

  var exceededMaxLimit: Bool
  var lastReceivedLogTimestamp: String
  var logs: [Log]
}

extension AppCenterQuery {
  /// The maximum number of logs per response, as in App Center.
  private static let maximumLogs = 100

  /// Returns the rows received since `since`, oldest first; if there are too many, only the newest.
  func logFlow(_ source: any MetricsStore) async throws -> AppCenterLogFlow {
    let shownKinds = Set(StoredKind.allCases.filter { Self.type($0) != nil })
    // One more than a response has room for, which shows if there are more.
    let recent = try await source.recent(app: app, kinds: shownKinds, limit: Self.maximumLogs + 1)
      .filter { $0.received > since }
    let shown = recent.prefix(Self.maximumLogs).reversed()
    return AppCenterLogFlow(
      exceededMaxLimit: recent.count > shown.count,
      lastReceivedLogTimestamp: (recent.first?.received ?? since).isoText, logs: shown.map(log))
  }

  private func log(_ event: StoredEvent) -> AppCenterLogFlow.Log {
    let isGeneric = subject == .logFlow(isGeneric: true)
    let isNamed = event.kind == .event || event.kind == .screen
    return AppCenterLogFlow.Log(
      type: Self.type(event.kind) ?? "", timestamp: event.time.isoText, installId: String(event.install),
      eventName: isNamed ? event.name : nil,
      properties: isGeneric || event.kind == .event
        ? Dictionary(event.properties.map { ($0.name, $0.value.displayText) }, uniquingKeysWith: { $1 }) : nil,
      device: device(event.device))
  }

  private func device(_ device: IncomingDevice) -> AppCenterLogFlow.Device {
    AppCenterLogFlow.Device(
      appBuild: device.appBuild, appVersion: device.appVersion,
      carrierCountry: device.country.isEmpty ? nil : device.country, locale: device.locale,
      model: device.model.isEmpty ? nil : device.model, osName: device.osName, osVersion: device.osVersion,
      sdkName: device.sdkName, sdkVersion: device.sdkVersion, timeZoneOffset: device.timeZoneOffsetMinutes)
  }

  /// App Center's name for a kind of row, or `nil` for kinds that it did not show.
  private static func type(_ kind: StoredKind) -> String? {
    switch kind {
    case .event: "event"
    case .screen: "page"
    case .sessionStart: "start_session"
    case .handledError, .crash: "error"
    case .drops, .other, .attachment, .attachmentPart: nil
    }
  }
}
