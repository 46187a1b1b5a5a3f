import Foundation
import Ingest
import ServerBase
import TernEvents
import Warehouse

/// A line of an export, as `JSONDecoder` reads it.
struct ImportedLine: Decodable {
  struct Key: Decodable {
    var time: Int64
    var hash: String
  }

  struct Device: Decodable {
    var timeZoneOffset: Int
    var osName: String?
    var osVersion: String?
    var model: String?
    var locale: String?
    var country: String?
    var appVersion: String?
    var appBuild: String?
    var sdkName: String?
    var sdkVersion: String?

    var incoming: IncomingDevice {
      IncomingDevice(
        osName: osName ?? "", osVersion: osVersion ?? "", model: model ?? "", locale: locale ?? "",
        country: country ?? "", timeZoneOffsetMinutes: IncomingDevice.clamped(offset: timeZoneOffset),
        appVersion: appVersion ?? "",
        appBuild: appBuild ?? "", sdkName: sdkName ?? "", sdkVersion: sdkVersion ?? "")
    }
  }

  /// A property: its name, and one of the values.
  struct Property: Decodable {
    var name: String
    var string: String?
    var integer: Int64?
    var double: Number?
    var boolean: Bool?
    var date: Int64?

    var value: PropertyValue? {
      if let string { return .string(string) }
      if let integer { return .integer(integer) }
      if let double { return .double(double.value) }
      if let boolean { return .boolean(boolean) }
      return date.map { .date(Timestamp(millisecondsSince1970: $0)) }
    }
  }

  /// A number, or the text of one that JSON can't write.
  struct Number: Decodable {
    var value: Double

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        value = number
      } else {
        value = Double(try container.decode(String.self)) ?? .nan
      }
    }
  }

  struct ErrorDetails: Decodable {
    var id: String
    var type: String
    var place: String
    var fingerprint: String
    var message: String
    var stack: String?
    var raw: String?
    var isTextRemoved: Bool?
  }

  struct Attachment: Decodable {
    var error: String
    var id: String
    var name: String
    var contentType: String
    var received: Int64
    var part: Int
    var parts: Int
    var data: String
  }

  struct Rejected: Decodable {
    var day: Int64
    var `protocol`: String
    var reason: String
    var count: Int64

    var isPlausible: Bool { count >= 0 && TimeBounds.contains(day: day) }
  }

  struct RejectionSample: Decodable, Hashable {
    var received: Int64
    var `protocol`: String
    var position: Int64
    var event: String
    var reason: String
    var message: String
  }

  struct Ledger: Decodable {
    var install: String
    var received: Int64
    var tracked: Int64
    var delivered: Int64
    var waiting: Int64
    var inFlight: Int64
    var dropped: Int64
  }

  // The header.
  var tern: String?
  var version: Int64?
  var server: String?
  var app: Int64?
  var timeZone: String?
  // A row.
  var row: Int64?
  var kind: String?
  var name: String?
  var time: Int64?
  var microseconds: Int?
  var received: Int64?
  var install: String?
  var session: String?
  var startsSession: Bool?
  var measurement: Bool?
  var user: String?
  var key: Key?
  var device: Device?
  var properties: [Property]?
  var parameters: [[String]]?
  var error: ErrorDetails?
  // Other lines.
  var attachment: Attachment?
  var rejected: Rejected?
  var rejection: RejectionSample?
  var ledger: Ledger?
  var end: Bool?

  static func number(_ hexadecimal: String) -> Int64? { UInt64(hexadecimal, radix: 16).map { Int64(bitPattern: $0) } }
}
