import TernEvents

/// OpenTelemetry's protocol for logs over HTTP, in protobuf and in JSON. Records with the name of an event are events, and those with
/// an exception are errors.
struct OpenTelemetryProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "otlp")
  let title = "OpenTelemetry"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    [
      ClientSetup(
        "OpenTelemetry logs",
        """
        export OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/protobuf
        export OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=\("\(target.address)/v1/logs".inShellQuotes)
        export OTEL_EXPORTER_OTLP_LOGS_HEADERS=\("tern-key=\(target.keyInAddress)".inShellQuotes)
        """, note: "Environment variables of the program; in code, the exporter’s endpoint and headers.")
    ]
  }

  var routes: [ClientRoute] { [.post("/v1/logs")] }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    var reading = ClientReading(
      key: request.header("tern-key") ?? request.header("x-api-key") ?? request.credential)
    if Self.isJSON(request) {
      try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in
        OTLPDocument.read(json, request) { reading.add($0) }
      }
    } else if !OTLPMessage.read(body, request, { reading.add($0) }) {
      throw IngestError(.malformed, "The body is no ExportLogsServiceRequest in Protocol Buffers' format.")
    }
    return reading
  }

  private static func isJSON(_ request: ClientRequest) -> Bool {
    request.header("content-type")?.lowercased().hasPrefix("application/json") ?? false
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored:
      if Self.isJSON(request) { return ClientAnswer(200, json: "{}") }
      var answer = ClientAnswer(200, text: "")
      answer.contentType = "application/x-protobuf"
      return answer
    case .unknownKey: return .noApp
    // A wait that doesn't fit into the client's ten seconds loses the batch at once.
    case .failed(let status, let code, let message, let delay):
      return .error(status, code, message, retryAfterSeconds: delay.map { _ in 1 })
    }
  }
}

/// A record of a log, with what it shares with others.
struct OTLPRecord {
  var time: UInt64 = 0
  var observedTime: UInt64 = 0
  var name = ""
  var severity = ""
  var body: PropertyValue?
  var attributes: [Properties.Element] = []
  var resource: [Properties.Element] = []

  /// Attributes that say what the event's other members are, and are no properties.
  private static let facts: Set<String> = [
    "event.name", "service.instance.id", "enduser.id", "user.id", "session.id", "exception.type", "exception.message",
    "exception.stacktrace",
  ]

  /// Returns an attribute of the record or its resource as text.
  private func text(_ name: String) -> String {
    Self.text(name, of: attributes) ?? Self.text(name, of: resource) ?? ""
  }

  /// Returns an attribute that says what happened, which a resource can't.
  private func ownText(_ name: String) -> String { Self.text(name, of: attributes) ?? "" }

  private static func text(_ name: String, of attributes: [Properties.Element]) -> String? {
    guard let value = attributes.last(where: { $0.name == name })?.value else { return nil }
    if case .string(let text) = value { return text }
    var json = JSONWriter(capacity: 32)
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  func event(_ identity: ClientEvent.Identity, _ limits: IngestLimits) -> Result<ClientEvent, RejectionReason> {
    var event: ClientEvent
    let (type, message) = (ownText("exception.type"), ownText("exception.message"))
    let name = name.isEmpty ? ownText("event.name") : name
    if !type.isEmpty || !message.isEmpty {
      var exception = ClientException(type: type.isEmpty ? "Error" : type, message: message)
      exception.trace = ownText("exception.stacktrace")
      event = ClientEvent(.handledError, exception.type)
      event.error = exception.incoming(id: "")
    } else if name.isEmpty {
      return .failure(.unsupported)
    } else {
      event = ClientEvent(.event, name)
    }
    event.properties = attributes.filter { !Self.facts.contains($0.name) && !$0.name.isEmpty }
    if let body { event.properties.append(.init(name: "body", value: body)) }
    if !severity.isEmpty { event.properties.append(.init(name: "severity", value: .string(severity))) }
    event.properties.removeLast(max(event.properties.count - limits.maximumProperties, 0))
    // A record without a time has at least that of its collection.
    let nanoseconds = time == 0 ? observedTime : time
    event.time = nanoseconds == 0 ? nil : Timestamp(millisecondsSince1970: Int64(nanoseconds / 1_000_000))
    event.install = text("service.instance.id")
    event.user = text("enduser.id").isEmpty ? text("user.id") : text("enduser.id")
    event.session = text("session.id")
    event.identity = identity
    event.device = IncomingDevice(
      osName: text("os.name").isEmpty ? text("os.type") : text("os.name"), osVersion: text("os.version"),
      model: text("device.model.name"), appVersion: text("service.version"), sdkName: text("telemetry.sdk.name"),
      sdkVersion: text("telemetry.sdk.version"))
    return .success(event)
  }
}
