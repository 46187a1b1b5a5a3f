import TernEvents

/// Segment's and RudderStack's HTTP API.
struct SegmentProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "segment")
  let title = "Segment or RudderStack"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let (key, address) = (target.key(), target.address)
    let (host, port) = (target.host.inSingleQuotes, target.scheme == "https" ? target.port : "443")
    return [
      ClientSetup(
        "Segment for Python",
        "analytics.write_key, analytics.host = \(key.inDoubleQuotes), \(address.inDoubleQuotes)"),
      ClientSetup(
        "Segment for Ruby",
        "Segment::Analytics.new(write_key: \(key.inSingleQuotes), host: \(host), port: \(port))",
        note: ClientSetup.httpsOnly),
      ClientSetup(
        "Segment for Go",
        "analytics.NewWithConfig(\(key.inDoubleQuotes), analytics.Config{Endpoint: \(address.inDoubleQuotes)})"),
      ClientSetup(
        "RudderStack for Python",
        "rudder_analytics.write_key, rudder_analytics.dataPlaneUrl = "
          + "\(key.inDoubleQuotes), \(address.inDoubleQuotes)"),
    ]
  }

  private static let calls = ["track", "identify", "page", "screen", "alias", "group"]

  var routes: [ClientRoute] { (["batch", "import"] + Self.calls).map { .post("/v1/\($0)") } }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let members = json.members("batch", "sentAt", "writeKey", "context")
      var reading = ClientReading(key: members[2]?.identifier() ?? request.credential, sent: members[1]?.time)
      if let batch = members[0], batch.isList {
        // The context of a batch, for its messages without one.
        let device = members[3].map { Self.device($0, request.limits) } ?? IncomingDevice()
        batch.forEachElement(atMost: request.mostRecords) {
          reading.add(Self.event($0, call: nil, device, request))
        }
      } else {
        let call = request.path.split(separator: "/").last.map(String.init)
        reading.add(Self.event(json, call: call, IncomingDevice(), request))
      }
      return reading
    }
  }

  private static func event(
    _ message: RawJSON, call: String?, _ sharedDevice: IncomingDevice, _ request: ClientRequest
  ) -> Result<ClientEvent, RejectionReason> {
    guard message.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = message.members(
      "type", "event", "name", "category", "messageId", "timestamp", "userId", "anonymousId", "previousId",
      "properties",
      "traits", "context", "originalTimestamp", "groupId")
    let context = members[11]
    var event: ClientEvent
    switch members[0]?.identifier() ?? call {
    case "track"?:
      event = ClientEvent(.event, members[1]?.name(limits) ?? "")
      event.properties = members[9]?.properties(limits) ?? []
    case let call? where call == "page" || call == "screen":
      // Names are optional: what stands for one is the address of the page, else the call.
      let facts = members[9]?.members("title", "path", "url") ?? []
      let name = ([members[2], members[3]] + facts).lazy.compactMap { $0?.identifier(limit: limits.maximumNameBytes) }
      event = ClientEvent(.screen, name.first ?? call)
      event.properties = members[9]?.properties(limits) ?? []
    case let call? where calls.contains(call):
      event = ClientEvent(.personRecord, call)
      event.properties = (members[10] ?? context?.member("traits"))?.properties(limits) ?? []
      for (name, value) in [("groupId", members[13]), ("previousId", call == "alias" ? nil : members[8])] {
        if let text = value?.identifier() { event.properties.append(.init(name: name, value: .string(text))) }
      }
    case nil: return .failure(.typeMissing)
    default: return .failure(.unsupported)
    }
    event.time = (members[5] ?? members[12])?.time
    event.user = members[6]?.identifier(limit: limits.maximumNameBytes) ?? ""
    event.install = members[7]?.identifier() ?? members[8]?.identifier() ?? event.user
    if event.kind == .personRecord, event.name == "alias" {
      event.join(
        (members[6]?.identifier(limit: limits.maximumNameBytes)
          ?? members[7]?.identifier(limit: limits.maximumNameBytes)),
        with: members[8]?.identifier(limit: limits.maximumNameBytes))
    }
    event.identity = members[4]?.identifier().map { .id($0) } ?? request.identity(of: message)
    event.device = context.map { device($0, limits) } ?? sharedDevice
    return .success(event)
  }

  private static func device(_ context: RawJSON, _ limits: IngestLimits) -> IncomingDevice {
    let members = context.members("library", "os", "device", "app", "locale")
    func text(_ value: RawJSON?, _ name: StaticString) -> String { value?.member(name)?.name(limits) ?? "" }
    let locale = members[4]?.name(limits) ?? ""
    return IncomingDevice(
      osName: text(members[1], "name"), osVersion: text(members[1], "version"), model: text(members[2], "model"),
      locale: locale, country: region(ofLocale: locale), appVersion: text(members[3], "version"),
      appBuild: text(members[3], "build"), sdkName: text(members[0], "name"), sdkVersion: text(members[0], "version"))
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored: ClientAnswer(200, json: "{\"success\":true}")
    case .unknownKey: .noApp
    // Clients wait exactly that long, or not at all. A limit may be raised before its time is over.
    case .failed(let status, let code, let message, let delay):
      .error(status, code, message, retryAfterSeconds: delay.map { min(max($0, 5), 30) })
    }
  }
}
