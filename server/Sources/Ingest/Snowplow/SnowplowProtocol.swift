import TernEvents

/// Snowplow's tracker protocol, by POST and by GET.
struct SnowplowProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "snowplow")
  let title = "Snowplow"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let (key, protocolName) = (target.key(), target.scheme.inSingleQuotes)
    return [
      ClientSetup(
        "Snowplow for Python",
        "Snowplow.create_tracker(namespace=\"app\", endpoint=\(target.address.inDoubleQuotes), "
          + "app_id=\(key.inDoubleQuotes))"),
      ClientSetup(
        "Snowplow for Ruby, from 0.7",
        """
        emitter = SnowplowTracker::Emitter.new(endpoint: \(target.place.inSingleQuotes), \
        options: { protocol: \(protocolName), method: 'post' })
        SnowplowTracker::Tracker.new(emitters: emitter, app_id: \(key.inSingleQuotes))
        """),
    ]
  }

  var routes: [ClientRoute] { [.post("/com.snowplowanalytics.snowplow/tp2"), .get("/i")] }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    var reading = ClientReading()
    func add(_ event: SnowplowEvent) {
      // A request is sent at once: the events' clocks show the same time.
      reading.sent = reading.sent ?? event.sent
      reading.add(event.reading(request), key: event.app)
    }
    guard !body.isEmpty else {
      let query = Array(request.query.utf8)
      query.withUnsafeBytes { bytes in
        let form = FormParameters(bytes)
        let identity = form.text(without: ["stm"]).withUnsafeBytes { request.identity(ofBytes: $0) }
        add(SnowplowEvent(content: identity) { form.text($0.description, limit: $1) })
      }
      return reading
    }
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      json.member("data")?.forEachElement(atMost: request.mostRecords) { item in
        guard item.isObject else { return reading.add(.failure(.notAnObject)) }
        let identity = request.identity(of: item, without: "stm")
        add(SnowplowEvent(content: identity) { name, limit in item.member(name)?.lenientText(limit: limit) })
      }
    }
    return reading
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored: ClientAnswer(200, text: "ok")
    case .unknownKey: ClientAnswer(401, text: ClientOutcome.noApp.message)
    case .failed(let status, _, let message, let delay):
      ClientAnswer(status, text: message, retryAfterSeconds: delay)
    }
  }
}

/// An event whose values are all texts.
struct SnowplowEvent {
  /// The identity by all but the time of sending, which differs from one attempt to the next.
  let content: ClientEvent.Identity
  let value: (StaticString, Int) -> String?

  private func text(_ name: StaticString, limit: Int = 1 << 10) -> String { value(name, limit) ?? "" }

  /// The name of the app, which is the key; `nil` without one.
  var app: String? { text("aid").isEmpty ? nil : text("aid") }

  var sent: Timestamp? { Self.time(text("stm")) }

  private static func time(_ text: String) -> Timestamp? { Int64(text).flatMap { Timestamp(number: Double($0)) } }

  func reading(_ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    let limits = request.limits
    var event: ClientEvent
    switch text("e") {
    case "pv":
      event = ClientEvent(.screen, text("page", limit: limits.maximumNameBytes))
      if event.name.isEmpty { event.name = text("url", limit: limits.maximumNameBytes) }
      event.properties = properties(["url", "refr"], limits)
    case "se":
      event = ClientEvent(.event, text("se_ac", limit: limits.maximumNameBytes))
      event.properties = properties(["se_ca", "se_la", "se_pr", "se_va"], limits)
    case "ue":
      guard let described = selfDescribing(limits) else { return .failure(.nameMissing) }
      event = described
    case "": return .failure(.typeMissing)
    default: return .failure(.unsupported)
    }
    event.key = app
    event.time = Self.time(text("ttm")) ?? Self.time(text("dtm"))
    event.user = text("uid", limit: limits.maximumNameBytes)
    event.install = [text("duid"), text("tnuid"), event.user].first { !$0.isEmpty } ?? ""
    event.session = text("sid")
    let id = text("eid")
    event.identity = id.isEmpty ? content : .id(id)
    let tracker = text("tv").split(separator: "-", maxSplits: 1)
    event.device = IncomingDevice(
      osName: text("p"), locale: text("lang"), country: region(ofLocale: text("lang")),
      sdkName: tracker.first.map { "snowplow-\($0)" } ?? "",
      sdkVersion: tracker.dropFirst().first.map(String.init) ?? "")
    return .success(event)
  }

  private func properties(_ names: [StaticString], _ limits: IngestLimits) -> [Properties.Element] {
    names.compactMap { name in
      let text = text(name, limit: limits.maximumValueBytes)
      guard !text.isEmpty else { return nil }
      // The only number among them.
      let number = name.description == "se_va" ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
      if name.description == "se_va", number == nil { return nil }
      return Properties.Element(name: name.description, value: number.map { .double($0) } ?? .string(text))
    }
  }

  /// Reads an event that names its own schema, such as `iglu:com.acme/order/jsonschema/1-0-0`.
  private func selfDescribing(_ limits: IngestLimits) -> ClientEvent? {
    let limit = limits.maximumDecompressedBytes
    var json = Array(text("ue_pr", limit: limit).utf8)
    if json.isEmpty {
      json = Array(text("ue_px", limit: limit).utf8).withUnsafeBytes { base64Decoded($0, limit: limit) } ?? []
    }
    let event = try? withBytes(of: json) { (bytes) throws(IngestError) in
      try ClientDocument.read(bytes, limits: limits) { (json) throws(IngestError) -> ClientEvent? in
        guard let outer = json.member("data"), let schema = outer.member("schema")?.lenientText(limit: 512) else {
          return nil
        }
        let parts = schema.split(separator: "/")
        let name = parts.count >= 2 ? String(parts[1]) : schema
        let data = outer.member("data")
        var event = ClientEvent(.event, name)
        if name == "screen_view", let screen = data?.member("name")?.identifier(limit: limits.maximumNameBytes) {
          event = ClientEvent(.screen, screen)
        }
        event.properties = data?.properties(limits) ?? []
        return event
      }
    }
    return event ?? nil
  }
}
