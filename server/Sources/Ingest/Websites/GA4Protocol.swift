import TernEvents

/// Google Analytics 4's Measurement Protocol.
struct GA4Protocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "ga4")
  let title = "Google Analytics 4"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let address = "\(target.address)/mp/collect"
    return [
      ClientSetup(
        "Google Analytics 4 (Measurement Protocol)", "\(address)?measurement_id=\(target.keyInAddress)&api_secret=none",
        note: "The measurement ID is the app’s key. The secret isn’t checked."),
      ClientSetup("Google Analytics 4 for Python (ga4mp)", "tracker._base_domain = \(address.inDoubleQuotes)"),
    ]
  }

  var routes: [ClientRoute] { [.post("/mp/collect")] }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let key = Array(request.query.utf8).withUnsafeBytes { form -> String? in
        let form = FormParameters(form)
        return form.text("measurement_id", limit: 256) ?? form.text("firebase_app_id", limit: 256)
      }
      var reading = ClientReading(key: key)
      let members = json.members("client_id", "app_instance_id", "user_id", "events", "timestamp_micros")
      func add(_ item: RawJSON) {
        reading.add(Self.event(item, members, request))
      }
      // An event that was postponed is no list.
      if let events = members[3], events.isObject { add(events) }
      members[3]?.forEachElement(atMost: request.mostRecords) { add($0) }
      return reading
    }
  }

  private static func event(
    _ json: RawJSON, _ shared: [RawJSON?], _ request: ClientRequest
  ) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members("name", "params", "timestamp_micros")
    let name = members[0]?.name(limits) ?? ""
    let params = members[1]
    let isScreen = name == "page_view" || name == "screen_view"
    let title = isScreen ? params?.members("screen_name", "page_title", "page_location") ?? [] : []
    var event = ClientEvent(
      isScreen ? .screen : .event,
      title.lazy.compactMap { $0?.identifier(limit: limits.maximumNameBytes) }.first ?? name)
    event.properties = params?.properties(limits) { $0 != "session_id" } ?? []
    event.install = (shared[0] ?? shared[1])?.identifier() ?? ""
    event.user = shared[2]?.identifier(limit: limits.maximumNameBytes) ?? ""
    event.session = params?.member("session_id")?.identifier() ?? ""
    let time = members[2] ?? shared[4]
    // Some write the number as text.
    let microseconds = time?.number ?? time.flatMap { Int64($0.lenientText(limit: 32)) }.map(Double.init)
    event.time = microseconds.flatMap { Timestamp(number: $0 / 1e3) }
    event.device.sdkName = "Measurement Protocol 4"
    return .success(event)
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored: ClientAnswer(204, text: "")
    case .unknownKey: .noApp
    case .failed(let status, let code, let message, let delay): .error(status, code, message, retryAfterSeconds: delay)
    }
  }
}
