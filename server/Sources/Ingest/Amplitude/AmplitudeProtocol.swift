import TernEvents

/// Amplitude's HTTP API v2 and its batch API.
struct AmplitudeProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "amplitude")
  let title = "Amplitude"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let address = "\(target.address)/2/httpapi".inDoubleQuotes
    return [
      ClientSetup(
        "Amplitude for Python", "Amplitude(\(target.key().inDoubleQuotes), Config(server_url=\(address)))")
    ]
  }

  var routes: [ClientRoute] { ["/2/httpapi", "/batch"].map { .post($0) } }

  /// PostHog has its events in another member.
  func recognizes(_ body: UnsafeRawBufferPointer) -> Bool {
    let json = ClientDocument.unchecked(body)
    return json.member("events") != nil && json.member("batch") == nil
  }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let members = json.members("api_key", "events")
      var reading = ClientReading(key: members[0]?.identifier())
      members[1]?.forEachElement(atMost: request.mostRecords) { reading.add(Self.event($0, request)) }
      return reading
    }
  }

  private static func event(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members(
      "event_type", "insert_id", "time", "user_id", "device_id", "session_id", "event_properties", "user_properties",
      "library",
      "os_name", "os_version", "device_model", "country", "language", "app_version", "version_name", "platform",
      "group_properties")
    func text(_ index: Int) -> String { members[index]?.name(limits) ?? "" }
    let name = text(0)
    var event: ClientEvent
    switch name {
    case "$identify", "$groupidentify":
      event = ClientEvent(.personRecord, String(name.dropFirst()))
      // Traits that are set, once or always, added or removed; without these words, the traits themselves.
      for changed in [members[7], members[17]] {
        var changes: [RawJSON?] = []
        changed?.forEachMember { name, value in if name.first == UInt8(ascii: "$") { changes.append(value) } }
        event.addProperties(of: changes.isEmpty ? [changed] : changes, limits)
      }
    case _ where name.hasPrefix("$"): return .failure(.unsupported)
    default:
      event = ClientEvent(.event, name)
      event.properties = members[6]?.properties(limits) ?? []
      if let price = members[6]?.member("$price")?.number, event.properties.count < limits.maximumProperties,
        !event.properties.contains(where: { $0.name == "revenue" })
      {
        // The client leaves the product of the two to the server.
        let revenue = price * (members[6]?.member("$quantity")?.number ?? 1)
        if revenue.isFinite { event.properties.append(.init(name: "revenue", value: .double(revenue))) }
      }
    }
    event.time = members[2]?.time
    event.user = members[3]?.identifier(limit: limits.maximumNameBytes) ?? ""
    event.install = members[4]?.identifier() ?? event.user
    if let session = members[5]?.identifier(), session != "-1" { event.session = session }
    event.identity = members[1]?.identifier().map { .id($0) } ?? request.identity(of: json)
    let library = text(8).split(separator: "/", maxSplits: 1)
    event.device = IncomingDevice(
      osName: text(9).isEmpty ? text(16) : text(9), osVersion: text(10), model: text(11), locale: text(13),
      country: countryCode(text(12)), appVersion: text(14).isEmpty ? text(15) : text(14),
      sdkName: library.first.map(String.init) ?? "", sdkVersion: library.dropFirst().first.map(String.init) ?? "")
    return .success(event)
  }

  /// Clients believe the member `code` and not the status.
  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored(let reading):
      ClientAnswer(200) { json in
        json.raw("{\"code\":200,\"events_ingested\":")
        json.integer(Int64(reading.count))
        json.raw("}")
      }
    // Any other error is repeated, and holds up what follows.
    case .unknownKey: Self.failed(400, "Invalid API key: \(ClientOutcome.noApp.message)")
    case .failed(let status, _, let message, let delay): Self.failed(status, message, retryAfterSeconds: delay)
    }
  }

  private static func failed(_ status: Int, _ message: String, retryAfterSeconds: Int? = nil) -> ClientAnswer {
    ClientAnswer(status, retryAfterSeconds: retryAfterSeconds) { json in
      json.raw("{\"code\":")
      json.integer(Int64(status))
      json.raw(",\"error\":")
      json.string(message)
      json.raw("}")
    }
  }
}
