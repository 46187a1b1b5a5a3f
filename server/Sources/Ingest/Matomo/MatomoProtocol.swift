import TernEvents

/// Matomo's tracking API, single requests and bulk ones.
struct MatomoProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "matomo")
  let title = "Matomo"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let address = "\(target.address)/matomo.php".inDoubleQuotes
    return [
      ClientSetup("Matomo for Python (matomopy)", "MatomoTracker(\(address), \(target.key().inDoubleQuotes))")
    ]
  }

  var routes: [ClientRoute] { ["/matomo.php", "/piwik.php"].flatMap { [.post($0), .get($0)] } }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    var reading = ClientReading()
    func add(_ hit: MatomoHit) { reading.add(hit.event(request), key: hit.site) }
    if ClientDocument.begins(body, with: "{") {
      reading.form = .bulk
      try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
        json.member("requests")?.forEachElement(atMost: request.mostRecords) { line in
          let text = (line.text(limit: 64 << 10) ?? "").drop { $0 == "?" }
          Array(text.utf8).withUnsafeBytes { add(MatomoHit($0)) }
        }
      }
      return reading
    }
    // Some clients have all parameters in the address, some only the site.
    let form = Array(request.query.utf8) + (request.query.isEmpty || body.isEmpty ? [] : [UInt8(ascii: "&")]) + body
    form.withUnsafeBytes { bytes in
      let hit = MatomoHit(bytes)
      if hit.text("send_image") == "0" { reading.form = .withoutImage }
      add(hit)
    }
    return reading
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored(let reading) where reading.form == .bulk:
      return ClientAnswer(200) { json in
        json.raw("{\"status\":\"success\",\"tracked\":")
        json.integer(Int64(reading.events.count))
        json.raw(",\"invalid\":")
        json.integer(Int64(reading.rejections.count))
        json.raw("}")
      }
    case .stored(let reading) where reading.form == .withoutImage: return ClientAnswer(204, text: "")
    case .stored: return .image
    case .unknownKey: return .noApp
    case .failed(let status, let code, let message, let delay):
      return .error(status, code, message, retryAfterSeconds: delay)
    }
  }
}

/// The parameters of one request.
struct MatomoHit {
  private let form: FormParameters

  init(_ bytes: UnsafeRawBufferPointer) { form = FormParameters(bytes) }

  func text(_ name: String, limit: Int = 1 << 10) -> String { form.text(name, limit: limit) ?? "" }

  /// The number of the site, which is the key; `nil` without one.
  var site: String? { text("idsite").isEmpty ? nil : text("idsite") }

  /// Parameters that become properties under names of their own.
  private static let properties = [
    ("e_c", "category"), ("e_n", "name"), ("url", "url"), ("urlref", "referrer"), ("ec_id", "order"),
    ("ec_items", "items"),
    ("search", "search"), ("link", "link"), ("download", "download"),
  ]
  private static let numbers = [("e_v", "value"), ("revenue", "revenue")]

  func event(_ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    let limits = request.limits
    guard let site else { return .failure(.trackingIDMissing) }
    var event: ClientEvent
    if text("ca") == "1", !text("cra").isEmpty {
      let type = text("cra_tp").isEmpty ? "Error" : text("cra_tp", limit: 512)
      event = ClientEvent(.handledError, type)
      let exception = ClientException(type: type, message: text("cra", limit: 8 << 10))
      event.error = exception.incoming(id: "")
    } else if !text("e_a").isEmpty {
      event = ClientEvent(.event, text("e_a", limit: limits.maximumNameBytes))
    } else if let goal = form.text("idgoal", limit: 64) {
      event = ClientEvent(.event, goal == "0" ? (text("ec_id").isEmpty ? "cart" : "order") : "goal \(goal)")
    } else if text("ping") == "1" {
      return .failure(.unsupported)
    } else {
      let title = text("action_name", limit: limits.maximumNameBytes)
      event = ClientEvent(.screen, title.isEmpty ? text("url", limit: limits.maximumNameBytes) : title)
    }
    event.key = site
    for (name, property) in Self.properties {
      if let value = form.text(name, limit: limits.maximumValueBytes) {
        event.properties.append(.init(name: property, value: .string(value)))
      }
    }
    for (name, property) in Self.numbers {
      if let value = Double(text(name)), value.isFinite {
        event.properties.append(.init(name: property, value: .double(value)))
      }
    }
    for (index, name) in form.names.enumerated()
    where name.hasPrefix("dimension") && event.properties.count < limits.maximumProperties {
      if let value = form.text(at: index, limit: limits.maximumValueBytes) {
        event.properties.append(.init(name: name, value: .string(value)))
      }
    }
    event.user = text("uid", limit: limits.maximumNameBytes)
    event.install = [text("_id"), text("cid"), event.user].first { !$0.isEmpty } ?? request.anonymousInstall
    let time = text("cdt")
    event.time = Timestamp(number: time) ?? Array(time.utf8).withUnsafeBytes { writtenTime($0) }
    // Only with a random number, and then with all the rest of the request.
    if !text("rand").isEmpty {
      event.identity = form.text(without: ["token_auth"]).withUnsafeBytes { request.identity(ofBytes: $0) }
    }
    event.device = IncomingDevice(
      osName: UserAgent(agent(request)).osName, osVersion: UserAgent(agent(request)).osVersion, locale: text("lang"),
      country: countryCode(text("country")), sdkName: "Matomo")
    return .success(event)
  }

  private func agent(_ request: ClientRequest) -> String {
    text("ua").isEmpty ? request.header("user-agent") ?? "" : text("ua")
  }
}
