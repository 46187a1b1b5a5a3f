import CTernJSON
package import TernEvents

/// Parses requests of Tern's own protocol: one JSON object per line, an event or a context (docs/protocols.md).
package enum NativeParser {
  /// Parses a decompressed body.
  ///
  /// A line that is not JSON fails the whole request, so that a client that writes broken JSON finds out before it
  /// deletes anything. An event that is JSON but cannot be stored is rejected on its own.
  ///
  /// - Parameters:
  ///   - bytes: The body; only read during the call.
  ///   - received: The time at which the request had been read.
  ///   - clock: Determines the times of events if the client sent the readings of its clocks; without it, the events' own
  ///     times are used.
  ///   - key: The server's secret for duplicate keys.
  ///   - app: The app's number; duplicates are detected within an app.
  ///   - limits: The limits of the request.
  /// - Throws: ``IngestError`` with code `malformed` or `tooLarge`; nothing of the body may be stored then.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, received: Timestamp, clock: EventClock? = nil, key: DuplicateHashKey, app: Int64,
    limits: IngestLimits = .native
  ) throws(IngestError) -> IncomingBatch {
    try withRecords(of: bytes, format: .native, limits: limits) { (result) throws(IngestError) in
      let builder = BatchBuilder(
        source: .native, received: received, key: key, app: app, limits: limits, capacity: result.record_count)
      var reading = NativeReading(builder: builder, result: result, clock: clock)
      var context: tern_record?
      for record in result.recordList {
        if record.is_context {
          context = record
        } else {
          reading.add(context.map { record.completed(by: $0) } ?? record)
        }
      }
      return reading.builder.batch
    }
  }

  /// Parses a decompressed body.
  package static func parse(
    _ bytes: [UInt8], received: Timestamp, clock: EventClock? = nil, key: DuplicateHashKey, app: Int64,
    limits: IngestLimits = .native
  ) throws(IngestError) -> IncomingBatch {
    try withBytes(of: bytes) { (buffer) throws(IngestError) in
      try parse(buffer, received: received, clock: clock, key: key, app: app, limits: limits)
    }
  }
}

/// Calls `withUnsafeBytes` with a typed error.
func withBytes<Result>(
  of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(IngestError) -> Result
) throws(IngestError) -> Result {
  let result: Swift.Result<Result, IngestError> = bytes.withUnsafeBytes { buffer in
    do throws(IngestError) { return .success(try body(buffer)) } catch { return .failure(error) }
  }
  return try result.get()
}

private struct NativeReading {
  var builder: BatchBuilder
  let result: tern_result
  private let clock: EventClock?
  /// The boot of the previous event, as written, and if the request was built in it.
  private var lastBoot: (text: tern_text, isSame: Bool)?
  /// The install of the previous event, as written. Nearly all events of a request share one.
  private var lastInstall: (text: tern_text, index: Int)?
  private var lastSession: (text: tern_text, install: Int, number: Int64)?

  init(builder: BatchBuilder, result: tern_result, clock: EventClock?) {
    self.builder = builder
    self.result = result
    self.clock = clock
  }

  mutating func add(_ record: tern_record) {
    guard record.raw.length <= NativeProtocol.maximumEventBytes else { return builder.reject(.eventTooLarge, record) }
    guard !record.id.isEmpty else { return builder.reject(.idMissing, record) }
    guard let id = uniqueID(record.id.bytes) else { return builder.reject(.idInvalid, record) }
    guard !record.type.isEmpty else { return builder.reject(.typeMissing, record) }
    guard var kind = StoredKind(native: record.type.bytes) else { return builder.reject(.typeUnknown, record) }
    let isNamed = kind == .event || kind == .screen
    if isNamed && record.name.isEmpty { return builder.reject(.nameMissing, record) }
    guard UInt32(record.time.kind) != TERN_VALUE_NULL.rawValue else { return builder.reject(.timeMissing, record) }
    guard UInt32(record.time.kind) == TERN_VALUE_INTEGER.rawValue else { return builder.reject(.timeInvalid, record) }
    let shown = Timestamp(millisecondsSince1970: record.time.integer)
    let (time, reading) = clock.map { happened(record, shown, $0) } ?? (shown, .wall)
    if let reason = builder.rejectionReason(for: time) { return builder.reject(reason, record) }
    guard !record.install.isEmpty else { return builder.reject(.installMissing, record) }
    guard let install = install(record.install) else { return builder.reject(.installInvalid, record) }
    let more: Enclosed
    switch kind {
    case .handledError, .crash: more = exception(of: record, id: id)
    case .attachment: more = attachment(of: record)
    default: more = .nothing
    }
    var name = (isNamed ? record.name : record.type).string(limit: builder.limits.maximumNameBytes)
    switch more {
    case .rejected(let reason): return builder.reject(reason, record)
    case .error(let error): name = error.type
    case .attachment(let attachment): if attachment.part > 0 { kind = .attachmentPart }
    case .nothing: break
    }
    defer { append(more) }
    let hash = builder.hasher(install: install).hash(type: record.type.bytes, id: id)
    builder.append(
      IncomingEvent(
        index: Int(record.index), kind: kind,
        // By the device's own time: a retry in another request may be corrected by a different amount.
        duplicateKey: DuplicateKey(milliseconds: shown.millisecondsSince1970, hash: hash), time: time,
        microseconds: id.microseconds(at: shown).flatMap { reading.microseconds($0) }, install: install,
        device: builder.device(of: record, in: result),
        session: session(record.session, install: install), startsSession: kind == .sessionStart,
        user: record.user.string(limit: builder.limits.maximumNameBytes), name: name,
        properties: builder.properties(of: record, in: result)))
  }

  /// The error or attachment of an event.
  private enum Enclosed {
    case nothing
    case error(IncomingError)
    case attachment(IncomingAttachment)
    case rejected(RejectionReason)
  }

  private func exception(of record: tern_record, id: UniqueID) -> Enclosed {
    guard let exception = RawJSON(record.raw.bytes).member("exception"), exception.isObject else {
      return .rejected(.exceptionMissing)
    }
    let error = ErrorReading(exception: exception).error(
      event: builder.batch.events.count, id: id.description,
      fallback: record.name.string(limit: builder.limits.maximumNameBytes), raw: record.raw.bytes)
    return error.type.isEmpty ? .rejected(.exceptionTypeMissing) : .error(error)
  }

  private func attachment(of record: tern_record) -> Enclosed {
    let value = RawJSON(record.raw.bytes).member("attachment")
    return
      switch AttachmentReading.native(
        value, event: builder.batch.events.count, eventID: record.id.string(limit: maximumInstallBytes))
    {
    case .attachment(let attachment): .attachment(attachment)
    case .rejected(let reason): .rejected(reason)
    }
  }

  private mutating func append(_ more: Enclosed) {
    switch more {
    case .error(let error): builder.append(error)
    case .attachment(let attachment): builder.append(attachment)
    case .nothing, .rejected: break
    }
  }

  private mutating func happened(_ record: tern_record, _ shown: Timestamp, _ clock: EventClock) -> (
    Timestamp, EventClock.Reading
  ) {
    clock.time(
      shown, uptime: record.uptime, isSameBoot: isSameBoot(record.boot, clock),
      window: builder.window)
  }

  private mutating func isSameBoot(_ text: tern_text, _ clock: EventClock) -> Bool {
    if let lastBoot, lastBoot.text.hasBytes(of: text) { return lastBoot.isSame }
    let isSame = !text.isEmpty && clock.isSameBoot(text.bytes)
    lastBoot = (text, isSame)
    return isSame
  }

  private mutating func install(_ text: tern_text) -> Int? {
    if let lastInstall, lastInstall.text.hasBytes(of: text) { return lastInstall.index }
    guard let id = uniqueID(text.bytes) else { return nil }
    let index = builder.install(id.description)
    lastInstall = (text, index)
    return index
  }

  private mutating func session(_ text: tern_text, install: Int) -> Int64 {
    guard !text.isEmpty else { return 0 }
    if let lastSession, lastSession.install == install, lastSession.text.hasBytes(of: text) {
      return lastSession.number
    }
    let number = builder.hasher(install: install).session(text.bytes)
    lastSession = (text, install, number)
    return number
  }
}

extension EventClock.Reading {
  /// The microseconds within the millisecond that belong to the time.
  fileprivate func microseconds(_ both: (wall: Int, uptime: Int)) -> Int? {
    switch self {
    case .wall: both.wall
    case .uptime: both.uptime
    case .arrival: nil
    }
  }
}

extension tern_record {
  /// The record with the members of its context that it lacks itself.
  fileprivate func completed(by context: tern_record) -> tern_record {
    var record = self
    if record.install.start == nil { record.texts.5 = context.install }
    if record.session.start == nil { record.texts.3 = context.session }
    if record.user.start == nil { record.texts.4 = context.user }
    if record.boot.start == nil { record.texts.6 = context.boot }
    if record.device < 0 { record.blocks.0 = context.device }
    if record.app < 0 { record.blocks.1 = context.app }
    return record
  }
}

extension tern_text {
  func hasBytes(of other: tern_text) -> Bool {
    length == other.length && UnsafeRawBufferPointer.areEqual(bytes, other.bytes)
  }
}

extension StoredKind {
  private static let sent: [StoredKind] = [.event, .screen, .sessionStart, .drops, .handledError, .crash, .attachment]

  fileprivate init?(native type: UnsafeRawBufferPointer) {
    guard let kind = Self.sent.first(where: { equals(type, $0.wireName) }) else { return nil }
    self = kind
  }
}
