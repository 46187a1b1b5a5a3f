import TernEvents

/// Bugsnag's reports and sessions.
struct BugsnagProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "bugsnag")
  let title = "Bugsnag"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let key = target.key(or: "0123456789abcdef0123456789abcdef") { $0.utf8.count == 32 }
    let (reports, sessions) = ("\(target.address)/notify", "\(target.address)/sessions")
    return [
      ClientSetup(
        "Bugsnag for Go",
        "bugsnag.Configuration{APIKey: \(key.inDoubleQuotes), Endpoints: bugsnag.Endpoints{"
          + "Notify: \(reports.inDoubleQuotes), Sessions: \(sessions.inDoubleQuotes)}}",
        note: "Takes only keys of 32 characters: add one to the app’s write keys.")
    ]
  }

  private static let sessions = "/sessions"

  var routes: [ClientRoute] { [.post("/notify"), .post(Self.sessions)] }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
      let key = json.member("apiKey")?.identifier() ?? request.header("bugsnag-api-key")
      // Reports have no time of their own.
      let sent = request.header("bugsnag-sent-at").flatMap { text in
        Array(text.utf8).withUnsafeBytes { writtenTime($0) }
      }
      var reading = ClientReading(key: key, sent: sent)
      // The facts that a request's events share may be long, and are read once.
      let facts = json.members("app", "device", "notifier")
      let shared = Self.device(facts[0], facts[1], notifier: facts[2], request.limits)
      json.member("events")?.forEachElement(atMost: request.mostRecords) { report in
        reading.add(Self.report(report, shared, request))
      }
      json.member("sessionCounts")?.forEachElement(atMost: 1_000) { count in
        var event = ClientEvent(.sessionStart, "")
        event.startsSession = true
        event.time = count.member("startedAt")?.time
        event.device = shared
        reading.add(event, times: count.member("sessionsStarted")?.integer ?? 0)
      }
      json.member("sessions")?.forEachElement(atMost: request.mostRecords) { session in
        let members = session.members("id", "startedAt", "user")
        var event = ClientEvent(.sessionStart, "")
        event.startsSession = true
        event.session = members[0]?.identifier() ?? ""
        event.identity = members[0]?.identifier().map { .id($0) } ?? .none
        event.time = members[1]?.time
        event.user = members[2]?.member("id")?.identifier(limit: request.limits.maximumNameBytes) ?? ""
        event.install = event.user
        event.device = shared
        reading.add(.success(event))
      }
      return reading
    }
  }

  private static func report(
    _ json: RawJSON, _ shared: IncomingDevice, _ request: ClientRequest
  ) -> Result<ClientEvent, RejectionReason> {
    let members = json.members(
      "exceptions", "unhandled", "user", "app", "device", "session", "metaData", "groupingHash")
    var exceptions: [ClientException] = []
    members[0]?.forEachElement(atMost: ClientException.maximumCauses) { json in
      let members = json.members("errorClass", "message", "stacktrace")
      var exception = ClientException(
        type: members[0]?.lenientText(limit: 512) ?? "", message: members[1]?.lenientText(limit: 8 << 10) ?? "")
      members[2]?.forEachElement(atMost: 512) { call in
        let members = call.members("method", "file", "lineNumber", "frameAddress")
        exception.frames.append(
          ClientException.Frame(
            function: members[0]?.lenientText(limit: 1_024) ?? "", file: members[1]?.lenientText(limit: 1_024) ?? "",
            line: members[2]?.integer, address: members[3]?.lenientText(limit: 32) ?? ""))
      }
      exceptions.append(exception)
    }
    guard !exceptions.isEmpty else { return .failure(.exceptionMissing) }
    var exception = ClientException(chain: exceptions)
    exception.fingerprint = members[7]?.lenientText(limit: 512) ?? ""
    let isCrash = members[1].map { equals($0.bytes, "true") } ?? false
    var event = ClientEvent(isCrash ? .crash : .handledError, exception.type.isEmpty ? "Error" : exception.type)
    event.error = exception.incoming(id: "")
    event.user = members[2]?.member("id")?.identifier(limit: request.limits.maximumNameBytes) ?? ""
    event.install = event.user
    event.session = members[5]?.member("id")?.identifier() ?? ""
    event.device = device(members[3], members[4], notifier: nil, request.limits)
    (event.device.sdkName, event.device.sdkVersion) = (shared.sdkName, shared.sdkVersion)
    members[6]?.forEachMember { _, group in
      let room = max(request.limits.maximumProperties - event.properties.count, 0)
      event.properties += group.properties(request.limits).prefix(room)
    }
    return .success(event)
  }

  private static func device(
    _ app: RawJSON?, _ device: RawJSON?, notifier: RawJSON?, _ limits: IngestLimits
  ) -> IncomingDevice {
    func text(_ object: RawJSON?, _ name: StaticString) -> String { object?.member(name)?.name(limits) ?? "" }
    return IncomingDevice(
      osName: text(device, "osName"), osVersion: text(device, "osVersion"), model: text(device, "model"),
      locale: text(device, "locale"), country: region(ofLocale: text(device, "locale")),
      appVersion: text(app, "version"),
      appBuild: text(app, "bundleVersion"), sdkName: text(notifier, "name"), sdkVersion: text(notifier, "version"))
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    // The other success of the two is an error in the app's log.
    case .stored: ClientAnswer(request.path == Self.sessions ? 202 : 200, json: "{\"status\":\"accepted\"}")
    case .unknownKey: .noApp
    case .failed(let status, let code, let message, let delay): .error(status, code, message, retryAfterSeconds: delay)
    }
  }
}
