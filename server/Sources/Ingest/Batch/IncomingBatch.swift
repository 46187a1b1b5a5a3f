public import TernEvents

/// The protocol a request spoke.
public enum IngestProtocol: String, Sendable, CaseIterable {
  /// Tern's own, `POST /v1/events`.
  case native
  /// App Center, `POST /logs?api-version=1.0.0`.
  case appCenter = "app_center"
  /// Measurement Protocol v1, `/collect` and `/batch`.
  case measurement
}

/// The validated contents of one request, without HTTP and SQL.
///
/// Events refer to installs and devices by index, since nearly all events of a request share them: the warehouse
/// resolves each once per batch instead of once per event.
public struct IncomingBatch: Sendable {
  /// The protocol the request spoke.
  public var source: IngestProtocol
  /// When the request had been read, by the server's clock.
  public var received: Timestamp
  /// The distinct installs of the batch: a lower-case UUID text, or a client id as it was sent.
  public var installs: [String]
  /// The distinct devices of the batch.
  public var devices: [IncomingDevice]
  /// The events to store, in the order in which the client recorded them.
  public var events: [IncomingEvent]
  /// The rejected events and the reasons, which are stored and counted.
  public var rejections: [Rejection]
  /// The handled errors and crashes among the events.
  public var errors: [IncomingError] = []
  /// The attachments, or pieces of them, among the events.
  public var attachments: [IncomingAttachment] = []
  /// The parameters of Measurement Protocol hits beyond their events.
  public var hits: [IncomingHit] = []
  /// The device's own counts, if it sent any, as they will be when all events of the batch are stored; that of
  /// the last event's install.
  public var ledger: DeviceLedger?

  /// Creates a batch.
  public init(
    source: IngestProtocol, received: Timestamp, installs: [String] = [], devices: [IncomingDevice] = [],
    events: [IncomingEvent] = [], rejections: [Rejection] = [], ledger: DeviceLedger? = nil
  ) {
    self.source = source
    self.received = received
    self.installs = installs
    self.devices = devices
    self.events = events
    self.rejections = rejections
    self.ledger = ledger
  }
}

/// The facts about device and app that reports break metrics down by; empty text means unknown.
public struct IncomingDevice: Sendable, Hashable {
  /// The operating system's name.
  public var osName: String
  /// The operating system's version.
  public var osVersion: String
  /// The device model.
  public var model: String
  /// The locale as sent, for example `pt_BR`.
  public var locale: String
  /// ISO 3166 country code, upper case.
  public var country: String
  /// Minutes east of UTC.
  public var timeZoneOffsetMinutes: Int
  /// The app's version.
  public var appVersion: String
  /// The app's build.
  public var appBuild: String
  /// The client library's name.
  public var sdkName: String
  /// The client library's version.
  public var sdkVersion: String

  /// Creates a device.
  public init(
    osName: String = "", osVersion: String = "", model: String = "", locale: String = "", country: String = "",
    timeZoneOffsetMinutes: Int = 0, appVersion: String = "", appBuild: String = "", sdkName: String = "",
    sdkVersion: String = ""
  ) {
    self.osName = osName
    self.osVersion = osVersion
    self.model = model
    self.locale = locale
    self.country = country
    self.timeZoneOffsetMinutes = timeZoneOffsetMinutes
    self.appVersion = appVersion
    self.appBuild = appBuild
    self.sdkName = sdkName
    self.sdkVersion = sdkVersion
  }
}

extension IncomingDevice {
  /// Texts that differ in any byte are two devices, as on disk: to Swift, texts that look the same are equal.
  public static func == (left: IncomingDevice, right: IncomingDevice) -> Bool {
    left.timeZoneOffsetMinutes == right.timeZoneOffsetMinutes
      && zip(left.texts, right.texts).allSatisfy { $0.hasBytes(of: $1) }
  }

  /// Mixes in every fact.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(timeZoneOffsetMinutes)
    for text in texts { hasher.combine(bytesOf: text) }
  }

  private var texts: [String] {
    [osName, osVersion, model, locale, country, appVersion, appBuild, sdkName, sdkVersion]
  }
}

/// The kind of a stored row. The raw values are stored: never reuse one.
public enum StoredKind: Int, Sendable, CaseIterable {
  /// A developer's event.
  case event = 0
  /// A screen view.
  case screen = 1
  /// A session that began.
  case sessionStart = 2
  /// A client's report of what it dropped.
  case drops = 3
  /// A handled error.
  case handledError = 4
  /// A crash.
  case crash = 5
  /// Anything else the client sent (unknown log types), kept as raw text in the property `raw`.
  case other = 6
  /// An attachment of an error; the first piece of one that comes in pieces.
  case attachment = 7
  /// A further piece of an attachment, which counts as nothing.
  case attachmentPart = 8
}

/// One validated event of a request.
public struct IncomingEvent: Sendable {
  /// Its position in the request, counted from 0, for the answer.
  public var index: Int
  /// The kind of the event.
  public var kind: StoredKind
  /// The deduplication key; `nil` when the protocol gives nothing to derive it from.
  public var duplicateKey: DuplicateKey?
  /// When it happened, as far as the protocol tells.
  public var time: Timestamp
  /// Index into `IncomingBatch.installs`.
  public var install: Int
  /// Index into `IncomingBatch.devices`.
  public var device: Int
  /// A 63-bit number of the session it belongs to, equal for equal session names of one install; 0 when there is none.
  public var session: Int64
  /// True if a session began with this event. Reports count these, so that sessions are exact and verifiable.
  public var startsSession: Bool
  /// The user named by the app; empty when none.
  public var user: String
  /// The event's or screen's name; for other kinds the log type.
  public var name: String
  /// The developer's properties.
  public var properties: [Properties.Element]

  /// Creates an event.
  public init(
    index: Int, kind: StoredKind = .event, duplicateKey: DuplicateKey?, time: Timestamp, install: Int = 0,
    device: Int = 0, session: Int64 = 0, startsSession: Bool = false, user: String = "", name: String,
    properties: [Properties.Element] = []
  ) {
    self.index = index
    self.kind = kind
    self.duplicateKey = duplicateKey
    self.time = time
    self.install = install
    self.device = device
    self.session = session
    self.startsSession = startsSession
    self.user = user
    self.name = name
    self.properties = properties
  }
}

/// The per-app deduplication key.
///
/// The time comes first so that the index over keys grows at its end: with random keys alone inserts are several times
/// slower (docs/architecture.md). Both parts come from what the client sends again unchanged on a retry.
public struct DuplicateKey: BitwiseCopyable, Sendable, Hashable, Comparable {
  /// The millisecond at which the event happened (since 1970), or another value that a retry repeats.
  public var milliseconds: Int64
  /// A 64-bit hash over app, install, log type and event id, keyed so that a client cannot aim for a collision.
  public var hash: Int64

  /// Creates a key.
  public init(milliseconds: Int64, hash: Int64) {
    self.milliseconds = milliseconds
    self.hash = hash
  }

  /// Orders by time, then hash: the order of the index.
  public static func < (left: DuplicateKey, right: DuplicateKey) -> Bool {
    (left.milliseconds, left.hash) < (right.milliseconds, right.hash)
  }
}

/// A rejected event.
public struct Rejection: Sendable, Hashable {
  /// Its position in the request, counted from 0.
  public var index: Int
  /// Its id as sent; empty when it had none.
  public var id: String
  /// A stable code, for example `name_missing`.
  public var reason: String
  /// A sentence that says how to avoid it.
  public var message: String

  /// Creates a rejection.
  public init(index: Int, id: String = "", reason: String, message: String) {
    self.index = index
    self.id = id
    self.reason = reason
    self.message = message
  }
}

/// A body that could not be read at all: nothing of it is stored.
public struct IngestError: Error, Sendable, Hashable {
  /// The kinds of unreadable body.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code.
    public let description: String
    /// The body is not JSON, or not of the shape the protocol demands.
    public static let malformed = Code(description: "malformed")
    /// The compressed body is damaged or of an unknown encoding.
    public static let undecodable = Code(description: "undecodable")
    /// The compressed body ends early.
    public static let incomplete = Code(description: "incomplete")
    /// The body, or what it decompresses to, is larger than allowed.
    public static let tooLarge = Code(description: "too_large")
  }

  /// The kind of failure.
  public var code: Code
  /// The reason and what to do.
  public var message: String
  /// Byte offset into the decompressed body at which reading failed, when known.
  public var position: Int?
  /// The line or log (counted from 0) in which it failed, when known.
  public var index: Int?
  /// Every line that cannot be read, in ascending order, at most 2,000; empty when unknown. Without these
  /// lines the body could be read.
  public var indexes: [Int]

  /// Creates an error.
  public init(code: Code, message: String, position: Int? = nil, index: Int? = nil, indexes: [Int] = []) {
    self.code = code
    self.message = message
    self.position = position
    self.index = index
    self.indexes = indexes
  }
}
