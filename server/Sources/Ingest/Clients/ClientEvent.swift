import ServerBase
package import TernEvents

/// An event as a client of another system reports it, in the terms that all systems share.
package struct ClientEvent: Sendable {
  /// What tells the event from others when it is sent again.
  package enum Identity: Sendable, Hashable {
    /// An identifier that the client made.
    case id(String)
    /// A hash of what is the same in each attempt, where the client makes no identifier.
    case content(UInt64)
    /// Nothing: the client never sends an event twice, and two equal events are two.
    case none
  }

  package var kind: StoredKind
  package var name: String
  /// The key of its app; `nil` for that of the request.
  package var key: String?
  package var identity = Identity.none
  /// When it happened by the client's clock; `nil` for when it arrived.
  package var time: Timestamp?
  /// The time as the client wrote it, if `time` is corrected by what may differ in another attempt.
  package var writtenTime: Timestamp?
  /// The install, or what stands for it; empty if the client names none.
  package var install = ""
  /// The user; empty if there is none.
  package var user = ""
  /// The name of its session; empty if there is none.
  package var session = ""
  package var startsSession = false
  package var device = IncomingDevice()
  package var properties: [Properties.Element] = []
  package var error: IncomingError?

  package init(_ kind: StoredKind, _ name: String) { (self.kind, self.name) = (kind, name) }
}

/// What a request of another system's client says.
package struct ClientReading: Sendable {
  /// The key of the app for all events that name none; `nil` if the body has none.
  package var key: String?
  /// When the client built the request, by its clock; `nil` if it doesn't say.
  package var sent: Timestamp?
  /// The events with their positions in the request.
  package var events: [(index: Int, event: ClientEvent)] = []
  /// What is not stored: events without a place in Tern, and those that can't be read.
  package var rejections: [Rejection] = []
  /// The number of events and of what is not stored.
  package var count: Int { events.count + rejections.count }
  /// The identifiers of events by which some clients expect to be answered.
  package var identifiers: [String] = []
  /// The form of the request, where answers differ by it.
  package var form = Form.usual

  package enum Form: Sendable {
    case usual
    /// Several requests in one, of which the answer gives the numbers.
    case bulk
    /// A request that wants no image as its answer.
    case withoutImage
    /// A request whose answer has a result for each event.
    case results
  }

  package init(key: String? = nil, sent: Timestamp? = nil) { (self.key, self.sent) = (key, sent) }

  /// Throws if the request has more events, or names more apps, than the server reads: what is left out must not be
  /// confirmed.
  package func check(_ limits: IngestLimits) throws(IngestError) {
    guard count <= limits.maximumEvents else { throw Self.tooManyEvents(limits) }
    guard keys.count <= Self.maximumKeys else {
      throw IngestError(.tooLarge, "The request names more than \(Self.maximumKeys) apps; send fewer at a time.")
    }
  }

  static func tooManyEvents(_ limits: IngestLimits) -> IngestError {
    IngestError(.tooLarge, "The request holds more than \(limits.maximumEvents) events; send fewer at a time.")
  }

  /// Adds the starts of sessions that are only counted, 10,000 in a request at most; what lies beyond is one rejection.
  mutating func add(_ event: ClientEvent, times: Int) {
    let room = max(Self.maximumCounted - events.count, 0)
    for _ in 0..<min(max(times, 0), room) { add(.success(event)) }
    if times > room { add(.failure(.unsupported)) }
  }

  private static let maximumCounted = 10_000

  /// Adds an event, or the reason that there is none.
  ///
  /// - Parameter key: The key that the event names. The first one is that of the request, whose app counts what is not stored.
  mutating func add(_ event: Result<ClientEvent, RejectionReason>, key ownKey: String? = nil) {
    key = key ?? ownKey
    switch event {
    case .success(let event): events.append((count, event))
    case .failure(let reason): rejections.append(Rejection(reason, index: count))
    }
  }
}

extension RejectionReason: Error {}

/// A request of another system's client: what its protocol may need besides the body.
package struct ClientRequest: Sendable {
  package var path: String
  /// The query of the address as sent.
  package var query: String
  /// When its head arrived.
  package var arrived: Timestamp
  /// The server's secret for hashes of contents.
  package var key: DuplicateHashKey
  package var limits: IngestLimits
  /// Whom events without any identifier come from, such as an address.
  package var sender: String
  private let header: @Sendable (String) -> String?

  package init(
    path: String, query: String = "", arrived: Timestamp, key: DuplicateHashKey, limits: IngestLimits = .clients,
    sender: String = "", header: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    (self.path, self.query, self.arrived, self.key) = (path, query, arrived, key)
    (self.limits, self.sender, self.header) = (limits, sender, header)
  }

  /// The most records to read: one too many, so that more are noticed.
  var mostRecords: Int { limits.maximumEvents + 1 }

  /// Returns the value of a header field; its name is in lowercase.
  func header(_ name: String) -> String? { header(name) }

  /// The user name of Basic authentication, or the token of Bearer authentication.
  var credential: String? {
    let parts = (header("authorization") ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0].lowercased() {
    case "bearer": return parts[1] == "None" ? nil : String(parts[1])
    case "basic":
      let decoded = Array(parts[1].utf8).withUnsafeBytes { base64Decoded($0, limit: 4 << 10) }
      return decoded.map { String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) }
    default: return nil
    }
  }

  /// An install for events that name none: its sender and agent, of which nothing but a hash is kept.
  var anonymousInstall: String {
    var hasher = SipHasher(key.first, key.second)
    hasher.append(field: sender)
    hasher.append(field: header("user-agent") ?? "")
    return "sender-" + String(hasher.finished(), radix: 36)
  }

  /// Returns the identity of an event by what is the same in each attempt.
  ///
  /// - Parameter shared: The ``hash(of:)`` of what the event shares with others.
  func identity(of parts: RawJSON?..., sharing shared: UInt64 = 0) -> ClientEvent.Identity {
    .content(hash(parts, shared))
  }

  /// Returns a hash of what many events of a request share. It may be long, and is read once.
  func hash(of part: RawJSON?) -> UInt64 { hash([part], 0) }

  private func hash(_ parts: [RawJSON?], _ shared: UInt64) -> UInt64 {
    var hasher = SipHasher(key.first, key.second)
    hasher.append(word: shared)
    for part in parts {
      if let part { hasher.append(bytes: part.bytes) }
      hasher.append(byte: 0xFF)
    }
    return hasher.finished()
  }

  /// Returns the identity of an object by its members but one.
  func identity(of object: RawJSON, without member: StaticString) -> ClientEvent.Identity {
    var hasher = SipHasher(key.first, key.second)
    object.forEachMember { name, value in
      guard !RawJSON.spells(name, member) else { return }
      hasher.append(field: name)
      hasher.append(field: value.bytes)
    }
    return .content(hasher.finished())
  }

  func identity(ofBytes bytes: UnsafeRawBufferPointer) -> ClientEvent.Identity { identity(of: RawJSON(bytes)) }
}

extension IngestLimits {
  /// The limits of other systems' clients: most don't make a refused batch smaller, and lose all of it.
  package static let clients = IngestLimits(
    maximumBodyBytes: 20 << 20, maximumDecompressedBytes: 64 << 20, maximumRatio: 1_100, maximumEvents: 20_000)
}
