import CTernJSON
import TernEvents

struct AppCenterReading {
  private(set) var builder: BatchBuilder
  private(set) var diagnosticsIDs: [String] = []
  private(set) var withoutEvent = 0
  private let result: tern_result
  private let install: Int?
  private var lastSession: (text: tern_text, number: Int64)?

  init(builder: BatchBuilder, result: tern_result, install: Int?) {
    self.builder = builder
    self.result = result
    self.install = install
  }

  mutating func add(_ record: tern_record) {
    guard record.is_object else { return builder.reject(.notAnObject, record) }
    guard let install else { return builder.reject(.installMissing, record) }
    guard !record.type.isEmpty else { return builder.reject(.typeMissing, record) }
    let type = LogType(record.type.bytes)
    if type.isNamed && record.name.isEmpty { return builder.reject(.nameMissing, record) }
    let isTimed = UInt32(record.time.kind) != TERN_VALUE_NULL.rawValue
    // Errors need no time: an error is worth more than its time.
    guard isTimed || type.isError else { return builder.reject(.timeMissing, record) }
    let received = builder.batch.received
    guard let time = isTimed ? time(of: record) : received else { return builder.reject(.timeInvalid, record) }
    if let reason = builder.rejectionReason(for: time) { return builder.reject(reason, record) }
    guard var kind = type.kind else {
      withoutEvent += 1
      return
    }
    var error: IncomingError?
    var attachment: IncomingAttachment?
    switch type {
    case .error, .handledError:
      error = self.error(record)
      if !record.id.isEmpty { diagnosticsIDs.append(record.id.string(limit: maximumInstallBytes)) }
    case .errorAttachment:
      switch AttachmentReading.appCenter(
        RawJSON(record.raw.bytes), id: record.id.string(limit: maximumInstallBytes), event: builder.batch.events.count)
      {
      case .rejected(let reason): return builder.reject(reason, record)
      case .attachment(let read): attachment = read
      // Stored as raw text, like a log of an unknown type.
      case nil: kind = .other
      }
    default: break
    }
    defer {
      if let error { builder.append(error) }
      if let attachment { builder.append(attachment) }
    }
    builder.append(
      IncomingEvent(
        index: Int(record.index), kind: kind,
        duplicateKey: duplicateKey(
          of: record, type: type, time: isTimed ? time : received.windowStart, install: install), time: time,
        install: install, device: builder.device(of: record, in: result),
        session: session(record.session, install: install), startsSession: type == .startSession,
        user: record.user.string(limit: builder.limits.maximumNameBytes),
        name: error?.type ?? (type.isNamed ? record.name : record.type).string(limit: builder.limits.maximumNameBytes),
        properties: properties(of: record, kind: kind)))
  }

  /// Rejects a log that is not JSON.
  mutating func addUnreadable(at index: Int) { builder.reject(.notJSON, at: index) }

  private func error(_ record: tern_record) -> IncomingError {
    ErrorReading(log: RawJSON(record.raw.bytes)).error(
      event: builder.batch.events.count, id: errorID(record.id.string(limit: maximumInstallBytes)),
      fallback: record.type.string(limit: maximumInstallBytes), raw: record.raw.bytes)
  }

  private func time(of record: tern_record) -> Timestamp? {
    switch UInt32(record.time.kind) {
    case TERN_VALUE_TEXT.rawValue: writtenTime(record.time.text.bytes)
    case TERN_VALUE_INTEGER.rawValue: Timestamp(millisecondsSince1970: record.time.integer)
    default: nil
    }
  }

  private func properties(of record: tern_record, kind: StoredKind) -> [Properties.Element] {
    guard kind == .other else { return builder.properties(of: record, in: result) }
    let raw = record.raw.string(limit: builder.limits.maximumValueBytes)
    return [Properties.Element(name: "raw", value: .string(raw))]
  }

  private func duplicateKey(of record: tern_record, type: LogType, time: Timestamp, install: Int) -> DuplicateKey {
    let hasher = builder.hasher(install: install)
    // A session start has no ID of its own, but there is only one per session.
    let name = type == .startSession && !record.session.isEmpty ? record.session : record.id
    let hash =
      if name.isEmpty {
        // Pages have no ID. A client repeats the same bytes on a retry, so equal logs of the same millisecond count
        // once.
        hasher.hash(type: record.type.bytes, bytes: record.raw.bytes)
      } else if let id = uniqueID(name.bytes) {
        hasher.hash(type: record.type.bytes, id: id)
      } else {
        hasher.hash(type: record.type.bytes, bytes: name.bytes)
      }
    return DuplicateKey(milliseconds: time.millisecondsSince1970, hash: hash)
  }

  private mutating func session(_ text: tern_text, install: Int) -> Int64 {
    guard !text.isEmpty else { return 0 }
    if let lastSession, lastSession.text.hasBytes(of: text) { return lastSession.number }
    let number = builder.hasher(install: install).session(text.bytes)
    lastSession = (text, number)
    return number
  }
}

extension Timestamp {
  /// The start of the window of 48 hours, counted from 1970, in which a log without a time was received: a retry repeats it.
  fileprivate var windowStart: Timestamp {
    let window: Int64 = 48 * 3_600_000
    return Timestamp(millisecondsSince1970: millisecondsSince1970 / window * window)
  }
}

/// The log types with a meaning of their own; others are stored as text.
private enum LogType {
  case event, page, startSession, startService, handledError, error, errorAttachment, other

  private static let names: [(StaticString, LogType)] = [
    ("event", .event), ("page", .page), ("startSession", .startSession), ("startService", .startService),
    ("handledError", .handledError), ("managedError", .error), ("appleError", .error),
    ("errorAttachment", .errorAttachment),
  ]

  init(_ name: UnsafeRawBufferPointer) { self = Self.names.first { equals(name, $0.0) }?.1 ?? .other }

  var isNamed: Bool { self == .event || self == .page }
  var isError: Bool { self == .error || self == .handledError || self == .errorAttachment }

  /// The kind to store, or `nil` to store nothing.
  var kind: StoredKind? {
    switch self {
    case .event: .event
    case .page: .screen
    case .startSession: .sessionStart
    case .startService: nil
    case .handledError: .handledError
    case .error: .crash
    case .errorAttachment: .attachment
    case .other: .other
    }
  }
}
