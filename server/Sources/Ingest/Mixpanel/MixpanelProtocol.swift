import TernEvents

/// Mixpanel's ingestion API.
struct MixpanelProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "mixpanel")
  let title = "Mixpanel"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let paths = ["/track", "/engage", "/groups", "/import"].map { "https://\(target.place)\($0)".inSingleQuotes }
    return [
      ClientSetup(
        "Mixpanel for Python",
        "Mixpanel(\(target.key().inDoubleQuotes), consumer=Consumer(api_host=\(target.place.inDoubleQuotes)))",
        note: "By https only with api_host. Other addresses may be http, but then it sends nothing again."),
      ClientSetup(
        "Mixpanel for Ruby",
        """
        consumer = Mixpanel::Consumer.new(\(paths.joined(separator: ", ")))
        Mixpanel::Tracker.new(\(target.key().inSingleQuotes)) { |type, message| consumer.send!(type, message) }
        """, note: ClientSetup.httpsOnly),
    ]
  }

  var routes: [ClientRoute] { ["/track", "/engage", "/groups", "/import"].map { .post($0) } }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    guard !ClientDocument.begins(body, with: "{"), !ClientDocument.begins(body, with: "[") else {
      return try read(json: body, request)
    }
    guard let data = FormParameters(body).bytes("data") else {
      throw IngestError(.malformed, "Send the events in the form's parameter data, or as JSON.")
    }
    return try withBytes(of: data) { (data) throws(IngestError) in
      if ClientDocument.begins(data, with: "{") || ClientDocument.begins(data, with: "[") {
        return try read(json: data, request)
      }
      guard let json = base64Decoded(data, limit: request.limits.maximumDecompressedBytes) else {
        throw IngestError(.malformed, "The parameter data is neither JSON nor base64.")
      }
      return try withBytes(of: json) { (json) throws(IngestError) in try read(json: json, request) }
    }
  }

  private func read(json: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(json, limits: request.limits) { (json) throws(IngestError) in
      var reading = ClientReading(key: nil)
      let isPerson = ["/engage", "/groups"].contains(request.path)
      func add(_ item: RawJSON) {
        // For requests of which nothing is stored: events have keys of their own.
        if reading.key == nil {
          reading.key = (isPerson ? item.member("$token") : item.member("properties")?.member("token"))?.identifier()
        }
        reading.add(isPerson ? Self.person(item, request) : Self.event(item, request))
      }
      if json.isList {
        json.forEachElement(atMost: request.mostRecords) { add($0) }
      } else {
        add(json)
      }
      return reading
    }
  }

  private static let personEvents: Set<String> = ["$identify", "$create_alias", "$merge"]
  /// Members of records of persons that name further ones.
  private static let identifiers: Set<String> = ["$anon_id", "$identified_id"]
  /// The prefix of the identifier of a device before a login.
  private static let devicePrefix = "$device:"
  private static let facts: Set<String> = ["token", "time", "distinct_id", "mp_lib"]

  private static func event(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members("event", "properties")
    let name = members[0]?.name(limits) ?? ""
    guard let properties = members[1], properties.isObject else { return .failure(.notAnObject) }
    let facts = properties.members(
      "token", "distinct_id", "time", "$insert_id", "$device_id", "$user_id", "mp_lib", "$lib_version", "$os",
      "$os_version",
      "$model", "$app_version_string", "$app_build_number", "mp_country_code", "$distinct_ids", "alias")
    func text(_ index: Int) -> String { facts[index]?.name(limits) ?? "" }
    guard personEvents.contains(name) || !name.hasPrefix("$") else { return .failure(.unsupported) }
    let isPerson = personEvents.contains(name)
    var event = isPerson ? ClientEvent(.personRecord, String(name.dropFirst())) : ClientEvent(.event, name)
    event.key = facts[0]?.identifier()
    event.properties = properties.properties(limits) {
      isPerson && Self.identifiers.contains($0) || !$0.hasPrefix("$") && !Self.facts.contains($0)
    }
    event.time = facts[2]?.time
    let person = facts[1]?.identifier(limit: limits.maximumNameBytes) ?? ""
    let isDevice = person.hasPrefix(devicePrefix)
    event.user = facts[5]?.identifier(limit: limits.maximumNameBytes) ?? (isDevice ? "" : person)
    event.install = facts[4]?.identifier() ?? identifier(person)
    switch name {
    case "$create_alias":
      event.join(
        facts[1].map { _ in identifier(person) },
        with: facts[15]?.identifier(limit: limits.maximumNameBytes).map(identifier))
    case "$merge":
      var merged: [String] = []
      facts[14]?.forEachElement(atMost: 2) { element in
        if let text = element.identifier(limit: limits.maximumNameBytes) { merged.append(identifier(text)) }
      }
      event.join(merged.first, with: merged.dropFirst().first)
    default: break
    }
    event.identity = request.identity(
      of: members[0], facts[3] ?? facts[2], facts[3] == nil ? properties : nil)
    event.device = IncomingDevice(
      osName: text(8), osVersion: text(9), model: text(10), country: countryCode(text(13)), appVersion: text(11),
      appBuild: text(12), sdkName: text(6), sdkVersion: text(7))
    return .success(event)
  }

  /// The install or user that an identifier names.
  private static func identifier(_ text: String) -> String {
    text.hasPrefix(devicePrefix) ? String(text.dropFirst(devicePrefix.count)) : text
  }

  /// Reads a change of a profile or a group.
  private static func person(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members("$token", "$distinct_id", "$time", "$set", "$set_once", "$group_id", "$group_key")
    var event = ClientEvent(.personRecord, request.path == "/groups" ? "group" : "profile")
    event.key = members[0]?.identifier()
    event.time = members[2]?.time
    event.user = members[1]?.identifier(limit: limits.maximumNameBytes) ?? ""
    event.install = event.user
    event.addProperties(of: [members[3], members[4]], limits)
    if members[3] == nil, members[4] == nil {
      event.properties = json.properties(limits) {
        !["$token", "$distinct_id", "$time", "$group_id", "$group_key", "$ip"].contains($0)
      }
    }
    if let group = members[5]?.identifier(), let kind = members[6]?.identifier() {
      event.properties.append(.init(name: kind, value: .string(group)))
    }
    event.identity = request.identity(of: json)
    return .success(event)
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored: ClientAnswer(200, json: "{\"status\":1,\"error\":null}")
    case .unknownKey: Self.failed(401, ClientOutcome.noApp.message)
    // Waits happen in the app's own thread, and would make a request be repeated that never fits.
    case .failed(let status, _, let message, let delay):
      Self.failed(status, message, retryAfterSeconds: status == 503 ? delay.map { _ in 1 } : nil)
    }
  }

  private static func failed(_ status: Int, _ message: String, retryAfterSeconds: Int? = nil) -> ClientAnswer {
    ClientAnswer(status, retryAfterSeconds: retryAfterSeconds) { json in
      json.raw("{\"status\":0,\"error\":")
      json.string(message)
      json.raw("}")
    }
  }
}
