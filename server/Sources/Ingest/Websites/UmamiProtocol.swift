import TernEvents

/// Umami's tracker API.
struct UmamiProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "umami")
  let title = "Umami"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    [
      ClientSetup(
        "Umami for Python",
        """
        umami.set_url_base(\(target.address.inDoubleQuotes))
        umami.set_website_id(\(target.key().inDoubleQuotes))
        """)
    ]
  }

  var routes: [ClientRoute] { [.post("/api/send")] }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let limits = request.limits
      let payload = json.member("payload")
      let members = payload?.members("website", "name", "title", "url", "data", "id", "timestamp") ?? []
      var reading = ClientReading(key: members.first??.identifier())
      guard !members.isEmpty else {
        reading.add(.failure(.notAnObject))
        return reading
      }
      let user = members[5]?.identifier(limit: limits.maximumNameBytes) ?? ""
      var event: ClientEvent
      if json.member("type")?.identifier() == "identify" {
        event = ClientEvent(.personRecord, "identify")
      } else if let name = members[1]?.identifier(limit: limits.maximumNameBytes) {
        event = ClientEvent(.event, name)
      } else {
        event = ClientEvent(.screen, (members[2] ?? members[3])?.name(limits) ?? "")
      }
      event.properties = members[4]?.properties(limits) ?? []
      if let url = members[3]?.identifier(limit: limits.maximumValueBytes) {
        event.properties.append(.init(name: "url", value: .string(url)))
      }
      event.user = user
      event.install = user.isEmpty ? request.anonymousInstall : user
      event.time = members[6]?.time
      reading.add(.success(event))
      return reading
    }
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored: ClientAnswer(200, json: "{\"ok\":true}")
    case .unknownKey: .noApp
    case .failed(let status, let code, let message, let delay): .error(status, code, message, retryAfterSeconds: delay)
    }
  }
}
