import TernEvents

/// Plausible's events API.
struct PlausibleProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "plausible")
  let title = "Plausible"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let address = "\(target.address)/api/event".inDoubleQuotes
    return [
      ClientSetup(
        "Plausible for Python", "PlausibleEvents(domain=\(target.key().inDoubleQuotes), api=\(address))")
    ]
  }

  var routes: [ClientRoute] { [.post("/api/event")] }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let limits = request.limits
      let members = json.members("domain", "name", "url", "props", "referrer", "n", "d", "u", "p")
      var reading = ClientReading(key: (members[0] ?? members[6])?.identifier())
      let name = (members[1] ?? members[5])?.name(limits) ?? ""
      let url = (members[2] ?? members[7])?.name(limits) ?? ""
      var event = ClientEvent(name == "pageview" ? .screen : .event, name == "pageview" ? Self.path(url) : name)
      event.properties = (members[3] ?? members[8])?.properties(limits) ?? []
      if !url.isEmpty { event.properties.append(.init(name: "url", value: .string(url))) }
      event.install = request.anonymousInstall
      reading.add(.success(event))
      return reading
    }
  }

  /// The path of an address without its query.
  private static func path(_ url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? url[...]
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    return path.isEmpty ? "/" : String(path)
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    // A client sends what is refused again for ever, and everything after it waits.
    case .stored, .unknownKey, .failed(_, _, _, nil): ClientAnswer(202, text: "ok")
    case .failed(let status, _, let message, let delay): ClientAnswer(status, text: message, retryAfterSeconds: delay)
    }
  }
}
