import TernEvents

/// Sentry's envelopes, and the single events of its older clients.
struct SentryProtocol: ClientProtocol {
  let source = IngestProtocol(rawValue: "sentry")
  let title = "Sentry"

  func setups(_ target: ClientTarget) -> [ClientSetup] {
    let address = "\(target.scheme)://\(target.keyInAddress)@\(target.place)/1"
    return [
      ClientSetup("Sentry for Python", "sentry_sdk.init(dsn=\(address.inDoubleQuotes))"),
      ClientSetup("Sentry for Ruby", "Sentry.init { |config| config.dsn = \(address.inSingleQuotes) }"),
      ClientSetup("Sentry for Go", "sentry.Init(sentry.ClientOptions{Dsn: \(address.inDoubleQuotes)})"),
      ClientSetup("sentry-cli", "export SENTRY_DSN=\(address.inShellQuotes)"),
    ]
  }

  var routes: [ClientRoute] { ["envelope", "store"].map { .post("/api/:project/\($0)") } }

  func read(_ body: UnsafeRawBufferPointer, _ request: ClientRequest) throws(IngestError) -> ClientReading {
    var reading = ClientReading(key: Self.key(request))
    if request.path.hasSuffix("/store") {
      try readEvent(body, request, &reading)
      return reading
    }
    var envelope = SentryEnvelope(body)
    let header = envelope.line()
    try ClientDocument.read(header, limits: request.limits) { (json) throws(IngestError) in
      let members = json.members("event_id", "sent_at", "dsn")
      if let id = members[0]?.identifier() { reading.identifiers.append(id) }
      reading.sent = members[1]?.time
      // Keys of older clients stand in the address of the project.
      reading.key = reading.key ?? members[2]?.identifier().flatMap(Self.key(ofAddress:))
    }
    var items = 0
    while reading.count < request.mostRecords, let item = envelope.next(request.limits) {
      // Items of which nothing is stored count, too.
      items += 1
      guard items < request.mostRecords else { throw ClientReading.tooManyEvents(request.limits) }
      add(item, to: &reading, request)
    }
    return reading
  }

  private static func key(_ request: ClientRequest) -> String? {
    for field in (request.header("x-sentry-auth") ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
      let parts = field.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0] == "sentry_key" { return String(parts[1]) }
    }
    return Array(request.query.utf8).withUnsafeBytes { FormParameters($0).text("sentry_key", limit: 256) }
  }

  private static func key(ofAddress address: String) -> String? {
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    return rest.contains("@") ? String(rest.prefix { $0 != "@" && $0 != ":" }) : nil
  }

  /// Reads one event: JSON, or base64 of compressed JSON without a header that says so.
  private func readEvent(
    _ body: UnsafeRawBufferPointer, _ request: ClientRequest, _ reading: inout ClientReading
  ) throws(IngestError) {
    func add(_ json: RawJSON) {
      reading.identifiers += [json.member("event_id")?.identifier()].compactMap(\.self)
      reading.add(SentryEvent.read(json, request))
    }
    if ClientDocument.begins(body, with: "{") {
      return try ClientDocument.read(body, limits: request.limits) { (json) throws(IngestError) in add(json) }
    }
    guard let packed = base64Decoded(body, limit: request.limits.maximumBodyBytes) else {
      throw IngestError(.malformed, "The event is neither JSON nor base64.")
    }
    try withBytes(of: packed) { (packed) throws(IngestError) in
      try BodyDecoder.withDecoded(packed, encoding: "deflate", limits: request.limits) { (bytes) throws(IngestError) in
        try ClientDocument.read(bytes, limits: request.limits) { (json) throws(IngestError) in add(json) }
      }
    }
  }

  private func add(_ item: SentryEnvelope.Item, to reading: inout ClientReading, _ request: ClientRequest) {
    func read(_ body: (RawJSON) -> Void) {
      do throws(IngestError) {
        try ClientDocument.read(item.payload, limits: request.limits) { (json) throws(IngestError) in body(json) }
      } catch {
        reading.add(.failure(.notJSON))
      }
    }
    switch item.type {
    case "event": read { reading.add(SentryEvent.read($0, request)) }
    case "session": read { reading.add(SentrySession.read($0, request)) }
    case "sessions": read { SentrySession.addCounts($0, to: &reading, request) }
    case "log":
      read { json in
        json.member("items")?.forEachElement(atMost: request.mostRecords) {
          reading.add(SentryLog.read($0, request))
        }
      }
    // What the client has lost is told by no event.
    case "client_report": break
    default: reading.add(.failure(.unsupported))
    }
  }

  func answer(_ outcome: ClientOutcome, to request: ClientRequest) -> ClientAnswer {
    switch outcome {
    case .stored(let reading):
      ClientAnswer(200) { json in
        json.raw("{\"id\":")
        json.string((reading.identifiers.first ?? "").filter { $0 != "-" })
        json.raw("}")
      }
    case .unknownKey: .noApp
    // There is no second attempt, but a proxy may make one.
    case .failed(let status, let code, let message, let delay): .error(status, code, message, retryAfterSeconds: delay)
    }
  }
}

/// The lines of an envelope: a header, then a header and a payload for each item.
struct SentryEnvelope {
  struct Item {
    var type: String
    var payload: UnsafeRawBufferPointer
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns the rest of the line.
  mutating func line() -> UnsafeRawBufferPointer {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
    let length = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
    position += min(length + 1, rest.count)
    return UnsafeRawBufferPointer(rebasing: rest[..<length])
  }

  /// Returns the next item; `nil` at the end, or after a header that can't be read, since nothing says where the next one begins.
  mutating func next(_ limits: IngestLimits) -> Item? {
    while position < bytes.count {
      let header = line()
      if header.allSatisfy({ $0 <= 0x20 }) { continue }
      let facts = try? ClientDocument.read(header, limits: limits) { (json) throws(IngestError) in
        (json.member("type")?.identifier() ?? "", json.member("length")?.integer)
      }
      guard let (type, length) = facts else { return nil }
      // Some clients leave the length out: then a payload is a line.
      guard let length, length >= 0, length <= bytes.count - position else { return Item(type: type, payload: line()) }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
      position += length
      return Item(type: type, payload: payload)
    }
    return nil
  }
}
