import Foundation
import TernDelivery
import TernEvents
package import TernValues

/// The facts about a process that its crash report contains: the session, the user, and the device with the app.
package struct CrashContext: Sendable, Hashable {
  package var session: UniqueID?
  package var user: String?
  package var device: Device?

  /// The most bytes of an encoded context.
  static let maximumBytes = 8 << 10 - 1

  /// Encodes a context as one line of JSON; without the device if it doesn't fit.
  ///
  /// - Parameter device: The result of `Device/encodedMembers()`.
  static func encoded(session: UniqueID?, user: String?, device: [UInt8]) -> [UInt8] {
    var json = JSONWriter(capacity: 512)
    json.raw("{")
    if let session {
      json.raw("\"session\":")
      json.identifier(session)
      json.raw(",")
    }
    if let user {
      json.raw("\"user\":")
      json.string(user.truncated(toBytes: NativeProtocol.maximumNameBytes))
      json.raw(",")
    }
    let members = json.bytes
    json.raw(device)
    json.raw("}")
    if json.bytes.count <= maximumBytes { return json.bytes }
    return members + Array("\"device\":{}}".utf8)
  }

  /// Decodes a context; parts that can't be decoded are unknown.
  package init(_ bytes: [UInt8]) {
    guard let members = try? JSONDecoder().decode(Members.self, from: Data(bytes)) else { return }
    session = members.session.flatMap { UniqueID($0) }
    user = members.user
    device = members.device.flatMap { Device($0, app: members.app ?? [:]) }
  }

  private struct Members: Decodable {
    var session: String?
    var user: String?
    var device: [String: Fact]?
    var app: [String: Fact]?
  }

  fileprivate enum Fact: Decodable {
    case text(String)
    case number(Int)
    case other

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let number = try? value.decode(Int.self) {
        self = .number(number)
      } else {
        self = .other
      }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
  }
}

extension Device {
  /// Creates a device from the members that `encodedMembers()` writes; `nil` without those that every device has.
  fileprivate init?(_ members: [String: CrashContext.Fact], app: [String: CrashContext.Fact]) {
    var members = members
    func take(_ name: String) -> String? { members.removeValue(forKey: name)?.text }
    guard let osName = take("osName"), let osVersion = take("osVersion"), let locale = take("locale") else {
      return nil
    }
    self.init(osName: osName, osVersion: osVersion, locale: locale)
    osBuild = take("osBuild")
    model = take("model")
    manufacturer = take("manufacturer")
    country = take("country")
    timeZoneOffsetMinutes = members.removeValue(forKey: "timeZoneOffset")?.number ?? 0
    if let name = take("sdkName") { sdkName = name }
    if let version = take("sdkVersion") { sdkVersion = version }
    if let version = app["version"]?.text { appVersion = version }
    if let build = app["build"]?.text { appBuild = build }
    appNamespace = app["namespace"]?.text
    others = members.compactMapValues(\.text)
  }
}
