import TernEvents

/// PostHog's capture API, in both of its versions.
struct PostHogProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "posthog")
  let title = "PostHog"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let (key, address) = (target.key(), target.address)
    return [
      ClientSetup("PostHog for Python", "Posthog(\(key.inDoubleQuotes), host=\(address.inDoubleQuotes))"),
      ClientSetup(
        "PostHog for Ruby",
        "PostHog::Client.new(api_key: \(key.inSingleQuotes), host: \(address.inSingleQuotes))"),
      ClientSetup(
        "PostHog for Go",
        "posthog.NewWithConfig(\(key.inDoubleQuotes), posthog.Config{Endpoint: \(address.inDoubleQuotes)})"),
    ]
  }

  private static let newPath = "/i/v1/analytics/events"
  /// What clients ask for; they go on with an answer that has none.
  private static let flagPaths = ["/flags", "/decide"]

  var routes: [ClientRoute] {
    (["/batch", "/capture", "/e", "/i/v0/e", "/i/v0/ai/batch", Self.newPath] + Self.flagPaths).map { .post($0) }
  }

  func recognizes(_ body: UnsafeRawBufferPointer) -> Bool {
    ClientDocument.begins(body, with: "{") && !AmplitudeProtocol().recognizes(body)
  }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let members = json.members("batch", "sent_at", "sentAt", "api_key", "token")
      let sent = (members[1] ?? members[2])?.time ?? request.header("posthog-request-timestamp").flatMap(Self.time)
      let key = (members[3] ?? members[4])?.identifier() ?? json.member("properties")?.member("token")?.identifier()
      var reading = ClientReading(key: key ?? request.credential, sent: sent)
      if Self.flagPaths.contains(request.path) {
        reading.add(.failure(.unsupported))
      } else if let batch = members[0], batch.isList {
        batch.forEachElement(atMost: request.mostRecords) { Self.add($0, to: &reading, request) }
      } else if json.isList {
        json.forEachElement(atMost: request.mostRecords) {
          reading.key = reading.key ?? ($0.member("api_key") ?? $0.member("properties")?.member("token"))?.identifier()
          Self.add($0, to: &reading, request)
        }
      } else {
        Self.add(json, to: &reading, request)
      }
      if request.path == Self.newPath { reading.form = .results }
      return reading
    }
  }

  private static func time(_ header: String) -> Timestamp? {
    Array(header.utf8).withUnsafeBytes { writtenTime($0) } ?? Timestamp(number: header)
  }

  private static func add(_ json: RawJSON, to reading: inout ClientReading, _ request: ClientRequest) {
    if let id = json.member("uuid")?.identifier() { reading.identifiers.append(id) }
    reading.add(PostHogEvent.read(json, request))
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored(let reading) where reading.form == .results:
      ClientAnswer(200) { json in
        json.raw("{\"results\":{")
        for (index, id) in reading.identifiers.enumerated() {
          if index > 0 { json.raw(",") }
          json.string(id)
          json.raw(":{\"result\":\"ok\"}")
        }
        json.raw("}}")
      }
    case .stored where Self.flagPaths.contains(request.path):
      ClientAnswer(
        200, json: "{\"flags\":{},\"featureFlags\":{},\"featureFlagPayloads\":{},\"errorsWhileComputingFlags\":false}")
    case .stored: ClientAnswer(200, json: "{\"status\":1}")
    case .unknownKey: .noApp
    // Clients wait the longer of this and their own few seconds, and then give up.
    case .failed(let status, let code, let message, let delay):
      .error(status, code, message, retryAfterSeconds: delay.map { _ in 30 })
    }
  }
}
