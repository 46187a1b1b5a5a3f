import TernEvents

/// Sessions of Sentry's clients, one by one or counted by the minute.
enum SentrySession {
  /// Reads a session, of which several updates may come: it counts once.
  static func read(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    let members = json.members("sid", "started", "did", "attrs")
    let id = SentryEvent.identifier(members[0])
    guard !id.isEmpty else { return .failure(.idMissing) }
    var event = start(members[1], members[3], request)
    event.session = id
    event.identity = .id(id)
    event.user = members[2]?.identifier(limit: request.limits.maximumNameBytes) ?? ""
    event.install = event.user
    return .success(event)
  }

  /// Reads counts, which have no identifiers. They don't say which sessions ended with the crashes that come apart.
  static func addCounts(_ json: RawJSON, to reading: inout ClientReading, _ request: ClientRequest) {
    // What the sessions share may be long, and is read once.
    let shared = start(nil, json.member("attrs"), request)
    json.member("aggregates")?.forEachElement(atMost: 1_000) { minute in
      let members = minute.members("started", "exited", "errored", "crashed", "abnormal")
      let count = members.dropFirst().reduce(0) { $0 + min(max($1?.integer ?? 0, 0), 1 << 20) }
      var event = shared
      event.time = members[0]?.time
      reading.add(event, times: count)
    }
  }

  private static func start(_ time: RawJSON?, _ attributes: RawJSON?, _ request: ClientRequest) -> ClientEvent {
    var event = ClientEvent(.sessionStart, "")
    event.startsSession = true
    event.time = time?.time
    event.device = SentryEvent.device(release: attributes?.member("release"), contexts: nil, sdk: nil, request.limits)
    return event
  }
}

/// A record of Sentry's logs. Its name is the text with the values left out, so that equal records have one name.
enum SentryLog {
  static func read(_ json: RawJSON, _ request: ClientRequest) -> Result<ClientEvent, RejectionReason> {
    guard json.isObject else { return .failure(.notAnObject) }
    let limits = request.limits
    let members = json.members("timestamp", "level", "body", "attributes")
    var name = "log"
    var release: RawJSON?
    var event = ClientEvent(.event, name)
    members[3]?.forEachMember { key, attribute in
      let key = RawJSON.name(key, limit: limits.maximumNameBytes)
      guard let value = attribute.member("value") else { return }
      if key == "sentry.message.template" { name = value.name(limits) }
      if key == "sentry.release" { release = value }
      if key == "user.id" { event.user = value.identifier(limit: limits.maximumNameBytes) ?? "" }
      let parameter = "sentry.message.parameter."
      guard event.properties.count + 2 < limits.maximumProperties,
        !key.hasPrefix("sentry.") || key.hasPrefix(parameter),
        let property = value.property(limit: limits.maximumValueBytes)
      else { return }
      event.properties.append(
        .init(name: key.hasPrefix(parameter) ? String(key.dropFirst(parameter.count)) : key, value: property))
    }
    event.name = name.isEmpty ? "log" : name
    for (name, value) in [("body", members[2]), ("level", members[1])] {
      if let value = value?.property(limit: limits.maximumValueBytes) {
        event.properties.append(.init(name: name, value: value))
      }
    }
    event.time = members[0]?.time
    event.identity = request.identity(of: json)
    event.install = event.user
    event.device = SentryEvent.device(release: release, contexts: nil, sdk: nil, limits)
    return .success(event)
  }
}
