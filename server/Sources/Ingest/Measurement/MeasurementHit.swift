import ServerBase
import TernBase
import TernEvents

/// One hit, with named parameters.
struct MeasurementHit {
  let parameters: FormParameters
  private let limits: IngestLimits
  let trackingID: String
  /// The client ID, or else the user ID preceded by a space, with which no client ID begins: they are different clients
  /// even if the texts are equal.
  let client: String
  let kind: StoredKind
  let type: String

  init(_ bytes: UnsafeRawBufferPointer, limits: IngestLimits) {
    parameters = FormParameters(Self.withoutQuestionMark(bytes))
    self.limits = limits
    trackingID = parameters.trackingID ?? ""
    client = Self.client(parameters)
    type = parameters.text("t", limit: limits.maximumNameBytes)?.lowercased() ?? ""
    kind =
      switch type {
      case "screenview", "appview", "pageview": .screen
      case "event": Self.isEvent(parameters) || !parameters.names.contains(where: Self.isEcommerce) ? .event : .other
      case "exception": parameters.text("exf", limit: 8) == "0" ? .handledError : .crash
      default: .other
      }
  }

  private static func client(_ parameters: FormParameters) -> String {
    let whole = MeasurementParser.maximumHitBytes
    if let client = parameters.text("cid", limit: whole) { return client.shortened(toBytes: maximumInstallBytes) }
    return parameters.text("uid", limit: whole).map { " " + $0.shortened(toBytes: maximumInstallBytes - 1) } ?? ""
  }

  /// Returns the tracking ID of a hit that will not be parsed, or an empty string. Decodes nothing else, and ignores
  /// everything beyond the maximum length of a hit.
  static func trackingID(of hit: UnsafeRawBufferPointer) -> String {
    let bytes = withoutQuestionMark(hit)
    let limit = min(bytes.count, MeasurementParser.maximumHitBytes)
    var found = ""
    var start = 0
    while start < limit {
      let end = bytes[start..<limit].firstIndex(of: UInt8(ascii: "&")) ?? limit
      // A truncated ID could be that of another app.
      if end == limit, bytes.count > limit, bytes[limit] != UInt8(ascii: "&") { break }
      let pair = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      if mayNameTrackingID(pair), let text = FormParameters(pair).trackingID { found = text }
      start = end + 1
    }
    return found
  }

  /// Rules out most other parameters without decoding them. Names may contain escapes.
  private static func mayNameTrackingID(_ pair: UnsafeRawBufferPointer) -> Bool {
    let name = pair.prefix(10).prefix { $0 != UInt8(ascii: "=") }
    return equals(UnsafeRawBufferPointer(rebasing: name), "tid")
      || ((5...9).contains(name.count) && name.contains(UInt8(ascii: "%")))
  }

  /// The reason to reject the hit, or `nil` if it can be stored.
  var rejectionReason: RejectionReason? {
    if trackingID.isEmpty { return .trackingIDMissing }
    if parameters.text("v", limit: 8) != "1" { return .versionInvalid }
    if client.isEmpty { return .clientIDMissing }
    if type.isEmpty { return .typeMissing }
    return missing ?? (isTooOld ? .timeTooOld : nil)
  }

  /// The reason to reject a hit that lacks a parameter its type requires.
  var missing: RejectionReason? {
    let lacking = missingParameters
    guard let first = lacking.first else { return Self.required[type] == nil ? .hitTypeUnknown : nil }
    switch first {
    case "ec": return .categoryMissing
    case "ea": return .actionMissing
    case "ti": return .transactionIDMissing
    case "in": return .itemNameMissing
    case "sn", "sa", "st": return .socialMissing
    case "dl": return .pageMissing
    default: return .timingMissing
    }
  }

  /// The required parameters of each type.
  private static let required: [String: [String]] = [
    "screenview": [], "appview": [], "exception": [], "pageview": ["dl"], "event": ["ec", "ea"],
    "transaction": ["ti"], "item": ["ti", "in"], "social": ["sn", "sa", "st"], "timing": ["utc", "utv", "utt"],
  ]

  /// True if the hit is an event that only carries products, promotions or impressions: apps send such events without
  /// category and action. The data is stored, but the hit doesn't count as an event.
  var isCarrier: Bool { type == "event" && kind == .other }

  private static func isEvent(_ parameters: FormParameters) -> Bool {
    parameters.text("ec", limit: 8) != nil && parameters.text("ea", limit: 8) != nil
  }

  /// Returns true for `pa`, `promo1id`, `il1pi1id` and the like. Products alone have no meaning.
  private static func isEcommerce(_ name: String) -> Bool {
    func isNumbered(_ prefix: String) -> Bool {
      name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isNumber ?? false
    }
    return name == "pa" || isNumbered("promo") || isNumbered("il") && name.contains("pi")
  }

  /// The required parameters that are absent or invalid.
  var missingParameters: [String] { isCarrier ? [] : absentParameters }

  /// The absent or invalid parameters, also for an event that only carries products.
  var absentParameters: [String] {
    (Self.required[type] ?? []).filter { name in
      if name == "utt" { return parameters.integer(name) == nil }
      if name == "dl", text("dh", limit: 8) != nil, text("dp", limit: 8) != nil { return false }
      return text(name, limit: 8) == nil
    }
  }

  /// The stored parameters that the event doesn't contain.
  var keptParameters: [HitParameter] {
    let kept = HitParameters(parameters).keptWithFaults
    guard isCarrier else { return kept }
    let lacking = absentParameters.map {
      HitParameter(name: HitParameter.faultMark + $0, value: "missing, so only products are counted")
    }
    return kept.filter { !["ec", "ea", "el", "ev"].contains($0.name) } + lacking
  }

  /// The text of a rejected hit, with storable parameters only.
  var summary: String { RejectedHitText.text(HitParameters(parameters).kept) }

  var name: String {
    switch kind {
    case .screen: text("cd", limit: 2048) ?? text("dp", limit: 2048) ?? "(not set)"
    case .event: text("ea", limit: 500) ?? ""
    default: type
    }
  }

  /// The description of an exception.
  var errorDescription: String { text("exd", limit: 150) ?? "" }
  var user: String { text("uid", limit: limits.maximumNameBytes) ?? "" }
  var startsSession: Bool { parameters.text("sc", limit: 8) == "start" }
  var cacheBuster: String? { parameters.text("z", limit: 128) }
  /// The time by the device's clock.
  var deviceMilliseconds: Int64? { parameters.integer("ht") }
  /// The time that the hit waited on the device, in milliseconds; zero unless it is a whole number.
  var queueMilliseconds: Int64 { max(parameters.integer("qt") ?? 0, 0) }

  /// True if the hit waited for so long that it may be a duplicate of one that was forgotten.
  var isTooOld: Bool { .milliseconds(queueMilliseconds) > limits.maximumAge }

  /// Returns the properties. Hits of other types are stored as raw text.
  func properties(raw: UnsafeRawBufferPointer) -> [Properties.Element] {
    switch kind {
    case .event:
      var elements: [Properties.Element] = []
      elements.reserveCapacity(4)
      for (name, parameter, limit) in [("Category", "ec", 150), ("Action", "ea", 500), ("Label", "el", 500)] {
        if let text = text(parameter, limit: limit) {
          elements.append(Properties.Element(name: name, value: .string(text)))
        }
      }
      if let value = parameters.integer("ev"), value >= 0 {
        elements.append(Properties.Element(name: "Value", value: .integer(value)))
      }
      return elements
    case .handledError, .crash:
      return text("exd", limit: 150).map { [Properties.Element(name: "Description", value: .string($0))] } ?? []
    case .other:
      let text = Ingest.text(raw, limit: limits.maximumValueBytes)
      // NUL would end the text in C libraries.
      return [
        Properties.Element(name: "raw", value: .string(text.utf8.contains(0) ? text.filter { $0 != "\0" } : text))
      ]
    default:
      return []
    }
  }

  /// Returns a hit's text with its IP addresses masked, because they must not be stored in full.
  func masked(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
    guard parameters.contains("uip") else { return nil }
    let pairs = Self.withoutQuestionMark(payload).split(separator: UInt8(ascii: "&")).map { pair in
      let pair = UnsafeRawBufferPointer(rebasing: pair)
      let form = FormParameters(pair)
      guard form.names == ["uip"] else { return Array(pair) }
      return Array("uip=\(MeasurementParameter.masked(form.text("uip", limit: 64) ?? ""))".utf8)
    }
    return Array(pairs.joined(separator: [UInt8(ascii: "&")]))
  }

  /// Returns the device, as far as the hit or the request's User-Agent describes it.
  func device(userAgent: String?) -> IncomingDevice {
    let agent = UserAgent(text("ua", limit: 512) ?? userAgent?.prefix(utf8Bytes: 512) ?? "")
    return IncomingDevice(
      osName: agent.osName, osVersion: agent.osVersion, model: agent.model, locale: text("ul", limit: 64) ?? "",
      country: countryCode(text("geoid", limit: 64) ?? ""), appVersion: text("av", limit: 100) ?? "",
      sdkName: text("_v", limit: 64) ?? "")
  }

  private func text(_ name: String, limit: Int) -> String? {
    parameters.text(name, limit: min(limit, limits.maximumNameBytes))
  }

  private static func withoutQuestionMark(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    bytes.first == UInt8(ascii: "?") ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst()) : bytes
  }
}

extension String {
  /// Returns the text itself if it fits, or else its beginning and a hash of the whole. The protocol doesn't limit the
  /// length of a client ID, and IDs that differ only at the end are different clients.
  fileprivate func shortened(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    // Two keys give a 128-bit hash, so that finding clients with the same hash is infeasible.
    let hash = [UInt64(1), 2].map { key -> String in
      var hasher = SipHasher(key, 0)
      hasher.append(field: self)
      let digits = String(hasher.finished(), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
    return "\(beginning(limit - 33))~\(hash)"
  }

  /// Returns the longest prefix of whole characters that fits.
  private func beginning(_ limit: Int) -> String {
    var text = self
    return text.withUTF8 { Ingest.text(UnsafeRawBufferPointer($0), limit: limit) }
  }
}

extension FormParameters {
  fileprivate var trackingID: String? { text("tid", limit: maximumInstallBytes) }
}
