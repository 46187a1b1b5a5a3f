import Foundation
import Ingest
import ServerBase
import TernEvents
import Warehouse

/// A log in App Center's continuous export to Azure Blob Storage (docs/export-format.md). Other members are ignored.
struct AppCenterRecord: Decodable {
  /// A text. Numbers and booleans are read as texts, because the fields are loosely typed.
  struct Text: Decodable {
    var value: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        value = text
      } else if let flag = try? container.decode(Bool.self) {
        value = String(flag)
      } else if let number = try? container.decode(Int64.self) {
        value = String(number)
      } else {
        value = String(try container.decode(Double.self))
      }
    }
  }

  private enum CodingKeys: String, CodingKey {
    case app = "AppId"
    case time = "Timestamp"
    case received = "IngressTimestamp"
    case install = "InstallId"
    case type = "MessageType"
    case message = "MessageId"
    case event = "EventId"
    case name = "EventName"
    case session = "SessionId"
    case user = "UserId"
    case properties = "Properties"
    case sdkName = "SdkName"
    case sdkVersion = "SdkVersion"
    case model = "Model"
    case osName = "OsName"
    case osVersion = "OsVersion"
    case locale = "Locale"
    case zone = "TimeZoneOffset"
    case appVersion = "AppVersion"
    case appBuild = "AppBuild"
    case country = "CountryCode"
    case carrierCountry = "CarrierCountry"
  }

  var app, time, received, install, type, message, event, name, session, user, properties: Text?
  var sdkName, sdkVersion, model, osName, osVersion, locale, zone, appVersion, appBuild, country, carrierCountry: Text?

  /// The type in the protocol of devices; `nil` for logs that are not analytics.
  var wireType: String? {
    switch type?.value {
    case "EventLog": "event"
    case "StartSessionLog": "startSession"
    case "PageLog": "page"
    default: nil
    }
  }

  /// The limits of imports: those of App Center's protocol without its age limit, which the log has already passed.
  private static let limits = {
    var limits = IngestLimits.appCenter
    limits.maximumAge = .seconds(200 * 366 * 86_400)
    return limits
  }()

  /// Returns the log as if the device had sent it here when App Center received it, so that the same log counts once,
  /// whether it comes from an export or from the device.
  ///
  /// - Throws: ``ImportFailure`` if it can't be stored.
  func batch(wireType: String, key: DuplicateHashKey, app: AppID) throws -> IncomingBatch {
    guard let received = (received ?? time).flatMap({ Self.time($0.value) }) else {
      throw ImportFailure("Its Timestamp or IngressTimestamp is missing or invalid.")
    }
    let parsed: AppCenterBatch
    do {
      parsed = try AppCenterParser.parse(
        try body(wireType), install: install?.value, received: received, key: key, app: app.rawValue,
        limits: Self.limits)
    } catch is IngestError {
      throw ImportFailure("It can't be read.")
    }
    if let rejection = parsed.batch.rejections.first {
      throw ImportFailure("It would be rejected from a device: \(rejection.reason).")
    }
    return parsed.batch
  }

  private static func time(_ text: String) -> Timestamp? {
    var text = text
    return text.withUTF8 { writtenTime(UnsafeRawBufferPointer($0)) }.map {
      Timestamp(millisecondsSince1970: TimeBounds.clamp($0.millisecondsSince1970))
    }
  }

  /// The log in the protocol of devices.
  private func body(_ wireType: String) throws -> [UInt8] {
    var json = JSONWriter(capacity: 1 << 10)
    func add(_ name: StaticString, _ text: Text?) {
      guard let value = text?.value, !value.isEmpty else { return }
      json.raw(name)
      json.string(value)
    }
    json.raw("{\"logs\":[{\"type\":")
    json.string(wireType)
    add(",\"timestamp\":", time)
    add(",\"id\":", event ?? message)
    add(",\"name\":", name)
    add(",\"sid\":", session)
    add(",\"userId\":", user)
    if let text = properties?.value, !text.isEmpty {
      guard let properties = try? JSONDecoder().decode([String: Text].self, from: Data(text.utf8)) else {
        throw ImportFailure("Its Properties aren't a JSON object of texts.")
      }
      json.raw(",\"properties\":{")
      let sorted = properties.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      for (index, property) in sorted.enumerated() {
        if index > 0 { json.raw(",") }
        json.string(property.key)
        json.raw(":")
        json.string(property.value.value)
      }
      json.raw("}")
    }
    json.raw(",\"device\":{\"timeZoneOffset\":")
    json.integer(Int64(Self.minutes(zone?.value ?? "")))
    add(",\"sdkName\":", sdkName)
    add(",\"sdkVersion\":", sdkVersion)
    add(",\"model\":", model)
    add(",\"osName\":", osName)
    add(",\"osVersion\":", osVersion)
    add(",\"locale\":", locale)
    add(",\"appVersion\":", appVersion)
    add(",\"appBuild\":", appBuild)
    add(",\"carrierCountry\":", country ?? carrierCountry)
    json.raw("}}]}")
    return json.bytes
  }

  /// Returns the minutes of a duration such as `PT2H`, `-PT3H30M` or `PT-180M`; 0 if it isn't one.
  static func minutes(_ text: String) -> Int {
    guard let match = text.wholeMatch(of: /(-?)PT(?:(-?\d{1,4})H)?(?:(-?\d{1,5})M)?(?:-?\d+(?:\.\d+)?S)?/) else {
      return 0
    }
    let minutes = (match.2.flatMap { Int($0) } ?? 0) * 60 + (match.3.flatMap { Int($0) } ?? 0)
    return match.1.isEmpty ? minutes : -minutes
  }
}
