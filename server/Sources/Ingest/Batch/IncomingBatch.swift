package import TernEvents

/// The protocol of a request, by its name in metrics and in the counts of refused events.
package struct IngestProtocol: RawRepresentable, Sendable, Hashable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// Tern's own, `POST /v1/events`.
  package static let native = IngestProtocol(rawValue: "native")
  /// App Center, `POST /logs?api-version=1.0.0`.
  package static let appCenter = IngestProtocol(rawValue: "app_center")
  /// Measurement Protocol v1, `/collect` and `/batch`.
  package static let measurement = IngestProtocol(rawValue: "measurement")

  /// All of them, those of other systems' clients included.
  package static let allCases = [native, appCenter, measurement] + ClientProtocols.all.map(\.source)
}

/// The validated contents of one request, independent of HTTP and SQL.
///
/// Events refer to installs and devices by index. Nearly all events of a request share them, so the warehouse resolves
/// each once per batch instead of once per event.
package struct IncomingBatch: Sendable {
  /// The protocol of the request.
  package var source: IngestProtocol
  /// The time at which the request had been read, by the server's clock.
  package var received: Timestamp
  /// The distinct installs of the batch: lowercase UUIDs, or client IDs as sent.
  package var installs: [String]
  /// The distinct devices of the batch.
  package var devices: [IncomingDevice]
  /// The events to store, in the order in which the client recorded them.
  package var events: [IncomingEvent]
  /// The rejected events with the reasons, to be stored and counted.
  package var rejections: [Rejection]
  /// The handled errors and crashes among the events.
  package var errors: [IncomingError] = []
  /// The attachments, or pieces of them, among the events.
  package var attachments: [IncomingAttachment] = []
  /// The parameters of Measurement Protocol hits that their events don't contain.
  package var hits: [IncomingHit] = []
  /// The device's own counts, if it sent any, as they will be once all events of the batch are stored. They belong to
  /// the install of the last event.
  package var ledger: DeviceLedger?

  package init(
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

  /// Adds an event. Nothing happens after it has arrived: one that is dated later counts at its arrival, unless the clock is so
  /// little ahead that it counts as right.
  package mutating func append(_ event: IncomingEvent) {
    var event = event
    if event.time > received + .milliseconds(-EventClock.tolerance.lowerBound) {
      (event.time, event.microseconds) = (received, nil)
    }
    events.append(event)
  }

  /// Adds an error to an event that was appended before, with the signature that it has on the event's device.
  mutating func append(_ error: IncomingError) {
    var error = error
    let event = events[error.event]
    error.sign(kind: event.kind, device: devices[event.device])
    errors.append(error)
  }
}

/// The properties of device and app by which reports break down counts; empty strings mean unknown.
package struct IncomingDevice: Sendable, Hashable {
  /// The operating system's name.
  package var osName: String
  /// The operating system's version.
  package var osVersion: String
  /// The device model.
  package var model: String
  /// The locale as sent, for example `pt_BR`.
  package var locale: String
  /// The ISO 3166 country code, in uppercase.
  package var country: String
  /// The offset from UTC in minutes, positive to the east.
  package var timeZoneOffsetMinutes: Int
  /// The app's version.
  package var appVersion: String
  /// The app's build.
  package var appBuild: String
  /// The client library's name.
  package var sdkName: String
  /// The client library's version.
  package var sdkVersion: String

  /// Creates a device.
  package init(
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
  /// Compares texts byte by byte, as on disk: Swift strings compare as equal if they are canonically equivalent.
  package static func == (left: IncomingDevice, right: IncomingDevice) -> Bool {
    left.timeZoneOffsetMinutes == right.timeZoneOffsetMinutes
      && zip(left.texts, right.texts).allSatisfy { $0.hasBytes(of: $1) }
  }

  /// Mixes in every fact.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(timeZoneOffsetMinutes)
    for text in texts { hasher.combine(bytesOf: text) }
  }

  private var texts: [String] {
    [osName, osVersion, model, locale, country, appVersion, appBuild, sdkName, sdkVersion]
  }
}

/// The kind of a stored row. The raw values are stored: never reuse one.
@usableFromInline
package enum StoredKind: Int, Sendable, CaseIterable {
  /// An event defined by the developer.
  case event = 0
  /// A screen view.
  case screen = 1
  /// The start of a session.
  case sessionStart = 2
  /// A client's report of dropped events.
  case drops = 3
  /// A handled error.
  case handledError = 4
  /// A crash.
  case crash = 5
  /// Any other record (unknown log types), stored as raw text in the property `raw`.
  case other = 6
  /// An attachment of an error, or the first piece of an attachment sent in pieces.
  case attachment = 7
  /// A further piece of an attachment, which is not counted.
  case attachmentPart = 8
}

extension StoredKind {
  /// The name in reports and, for the kinds that clients send, in the native protocol.
  package var name: String { wireName.description }

  var wireName: StaticString {
    switch self {
    case .event: "event"
    case .screen: "screen"
    case .sessionStart: "session_start"
    case .drops: "drops"
    case .handledError: "handled_error"
    case .crash: "crash"
    case .other: "other"
    case .attachment: "attachment"
    case .attachmentPart: "attachment_part"
    }
  }
}

/// One validated event of a request.
package struct IncomingEvent: Sendable {
  /// Its position in the request, counted from 0, for the response.
  package var index: Int
  /// The kind of the event.
  package var kind: StoredKind
  /// The deduplication key, or `nil` if the protocol provides nothing to derive it from.
  package var duplicateKey: DuplicateKey?
  /// The time of the event, as far as the protocol reports it.
  package var time: Timestamp
  /// The microseconds within the millisecond of `time`, 0 to 999, which decide on the order of events of one millisecond; `nil` if
  /// nothing is known of it.
  package var microseconds: Int?
  /// Index into `IncomingBatch.installs`.
  package var install: Int
  /// Index into `IncomingBatch.devices`.
  package var device: Int
  /// A 63-bit number of its session, equal for equal session names of an install; 0 if there is none.
  package var session: Int64
  /// True if a session began with this event. Reports count these events, so sessions are exact and verifiable.
  package var startsSession: Bool
  /// The user ID set by the app; empty if none.
  package var user: String
  /// The name of the event or screen; for other kinds, the log type.
  package var name: String
  /// The developer's properties.
  package var properties: [Properties.Element]

  /// Creates an event.
  package init(
    index: Int, kind: StoredKind = .event, duplicateKey: DuplicateKey?, time: Timestamp,
    microseconds: Int? = nil, install: Int = 0, device: Int = 0, session: Int64 = 0, startsSession: Bool = false,
    user: String = "", name: String,
    properties: [Properties.Element] = []
  ) {
    self.index = index
    self.kind = kind
    self.duplicateKey = duplicateKey
    self.time = time
    self.microseconds = microseconds
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
/// The time comes first so that the index over keys grows at its end; with random keys alone, inserts are several times
/// slower (docs/measurements.md). Both parts derive from data that a client repeats unchanged on a retry.
@usableFromInline
package struct DuplicateKey: BitwiseCopyable, Sendable, Hashable, Comparable {
  /// The time of the event in milliseconds since 1970, or another value that a retry repeats.
  @usableFromInline package var milliseconds: Int64
  /// A 64-bit hash of app, install, log type and event ID, keyed so that a client cannot provoke collisions.
  @usableFromInline package var hash: Int64

  /// Creates a key.
  @inlinable package init(milliseconds: Int64, hash: Int64) {
    self.milliseconds = milliseconds
    self.hash = hash
  }

  /// Orders keys by time, then hash, like the index.
  @inlinable package static func < (left: DuplicateKey, right: DuplicateKey) -> Bool {
    (left.milliseconds, left.hash) < (right.milliseconds, right.hash)
  }
}

/// A rejected event.
package struct Rejection: Sendable, Hashable {
  /// Its position in the request, counted from 0.
  package var index: Int
  /// Its ID as sent; empty if it had none.
  package var id: String
  /// A stable code, for example `name_missing`.
  package var reason: String
  /// A sentence that explains how to avoid the rejection.
  package var message: String

  /// Creates a rejection.
  package init(index: Int, id: String = "", reason: String, message: String) {
    self.index = index
    self.id = id
    self.reason = reason
    self.message = message
  }
}

/// A body that could not be read; nothing of it is stored.
package struct IngestError: Error, Sendable, Hashable {
  /// The kinds of unreadable body, by their names in answers.
  package enum Code: String, Sendable {
    /// The body is not JSON, or not of the form that the protocol requires.
    case malformed
    /// The compressed body is damaged or its encoding is unknown.
    case undecodable
    /// The compressed body is truncated.
    case incomplete
    /// The body is larger than allowed, before or after decompression.
    case tooLarge = "too_large"
  }

  /// The kind of failure.
  package var code: Code
  /// The reason and what to do.
  package var message: String
  /// The byte offset in the decompressed body at which parsing failed, if known.
  package var position: Int?
  /// The line or log (counted from 0) in which parsing failed, if known.
  package var index: Int?
  /// All unreadable lines in ascending order, at most 2,000; empty if unknown. Without these lines, the body is
  /// readable.
  package var indexes: [Int]

  /// Creates an error.
  package init(_ code: Code, _ message: String, position: Int? = nil, index: Int? = nil, indexes: [Int] = []) {
    self.code = code
    self.message = message
    self.position = position
    self.index = index
    self.indexes = indexes
  }
}
