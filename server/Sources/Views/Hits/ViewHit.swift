package import Ingest
package import TernBase
package import Warehouse

/// A stored hit as views see it. Events of other protocols are converted to the hits they resemble.
package struct ViewHit {
  package var id: Int64
  package var time: EventTime
  package var received: EventTime
  package var slot: UInt32
  package var user: String
  package var device: IncomingDevice
  package var parameters: [String: String]
  /// The hit's type; `appview` is counted as `screenview`.
  package let type: String
  package let sequence: SaturatingInt64

  package init(
    id: Int64, time: Int64, received: Int64, slot: UInt32, user: String, device: IncomingDevice,
    parameters: [String: String]
  ) {
    self.id = id
    self.time = EventTime(time)
    self.received = EventTime(received)
    self.slot = slot
    self.user = user
    self.device = device
    self.parameters = parameters
    // Stored because counting reads it many times.
    let type = parameters["t"]?.lowercased() ?? ""
    self.type = type == "appview" ? "screenview" : type
    sequence = parameters["_s"].flatMap { SaturatingInt64($0) } ?? 0
  }

  package var screen: String { parameters["cd"] ?? parameters["dp"] ?? "(not set)" }
  package var isScreenView: Bool { type == "screenview" || type == "pageview" }
  /// True for an event with a category. An event hit without one only carries products.
  package var isEvent: Bool { type == "event" && parameters["ea"] != nil }
  package var version: String { parameters["av"] ?? device.appVersion }

  /// The placeholder for a missing text.
  package static let unset = "(not set)"

  package func text(_ name: String) -> String { parameters[name] ?? Self.unset }
  package func integer(_ name: String) -> SaturatingInt64? { parameters[name].flatMap { SaturatingInt64($0) } }
  /// A decimal number in millionths.
  package func millionths(_ name: String) -> SaturatingInt64? { parameters[name].flatMap { Self.millionths($0) } }

  /// The order in which a user's hits happened.
  package static func isBefore(_ left: ViewHit, _ right: ViewHit) -> Bool {
    (left.time, left.sequence, left.id) < (right.time, right.sequence, right.id)
  }

  /// Groups hits by user, each user's in the order in which they happened.
  package static func byUser(_ hits: [ViewHit]) -> [(slot: UInt32, hits: [ViewHit])] {
    // Sorts indices, because hits are large.
    let order = hits.indices.sorted { left, right in
      hits[left].slot == hits[right].slot ? isBefore(hits[left], hits[right]) : hits[left].slot < hits[right].slot
    }
    var users: [(slot: UInt32, hits: [ViewHit])] = []
    var start = 0
    while start < order.count {
      let slot = hits[order[start]].slot
      let end = order[start...].firstIndex { hits[$0].slot != slot } ?? order.count
      users.append((slot, order[start..<end].map { hits[$0] }))
      start = end
    }
    return users
  }

  /// Reads a decimal number exactly, up to six decimals, or returns `nil` if it isn't a number or is too large.
  package static func millionths(_ text: String) -> SaturatingInt64? {
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : text[...]).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = parts[0].isEmpty ? 0 : SaturatingInt64(parts[0]) else {
      return nil
    }
    let decimals = parts.count == 2 ? parts[1].prefix(6) : ""
    let padded = decimals + String(repeating: "0", count: 6 - decimals.count)
    guard let fraction = SaturatingInt64(padded), fraction >= 0, whole >= 0 else { return nil }
    let product = whole * 1_000_000
    guard product < .max - 1_000_000 else { return nil }
    return isNegative ? -(product + fraction) : product + fraction
  }
}

extension ViewHit {
  /// Returns an event's data as Measurement Protocol parameters.
  package static func parameters(
    kind: StoredKind, startsSession: Bool, isMeasurement: Bool, name: String, properties: [(String, String)]
  ) -> [String: String] {
    func property(_ wanted: String) -> String? { properties.last { $0.0 == wanted }?.1 }
    var parameters: [String: String] = [:]
    switch kind {
    case .screen: parameters = ["t": "screenview", "cd": name]
    case .event:
      parameters = ["t": "event", "ea": name]
      if isMeasurement {
        parameters["ec"] = property("Category")
        parameters["el"] = property("Label")
        parameters["ev"] = property("Value")
      }
    case .handledError: parameters = ["t": "exception", "exf": "0", "exd": property("Description") ?? name]
    case .crash: parameters = ["t": "exception", "exd": property("Description") ?? name]
    case .sessionStart: parameters = ["t": "session"]
    case .other: parameters = ["t": name]
    case .drops, .attachment, .attachmentPart: break
    }
    // A session start set by the warehouse for the default reports is not the client's.
    if startsSession, !isMeasurement { parameters["sc"] = "start" }
    return parameters
  }
}
