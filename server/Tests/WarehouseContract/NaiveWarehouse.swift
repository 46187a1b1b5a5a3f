import Foundation
package import Ingest
import ServerBase
import TernBase
package import TernEvents
package import Warehouse

/// A warehouse in memory without any optimization: it keeps what is committed and counts it again at each read.
///
/// It is the oracle of the contract and the store of tests that need one. It has the rules of the port, but none of the
/// limits that protect a server: any number of names, error groups and bytes fits.
package final class NaiveWarehouse: EventSink, MetricsStore {
  /// A stored event.
  struct Row {
    var id: Int64
    var app: AppID
    var source: IngestProtocol
    /// The civil day in the app's zone.
    var day: Day
    var time: Int64
    var received: Int64
    var install: Int
    var device: IncomingDevice
    var event: IncomingEvent
    var startsSession: Bool
    var group: Int64?
    var error: IncomingError?
    var hit: IncomingHit?
  }

  /// A rejected event, on its day of receipt.
  struct Refusal {
    var app: AppID
    var source: IngestProtocol
    var day: Day
    var received: Int64
    var rejection: Rejection
  }

  /// The first error with a fingerprint.
  struct Group {
    var app: AppID
    var kind: StoredKind
    var error: IncomingError
  }

  struct Attachment {
    var app: AppID
    var first: IncomingAttachment
    var received: Int64
    /// The error that it belongs to; `nil` while none has arrived.
    var owner: Int64?
    var pieces: [Int: [UInt8]] = [:]

    var data: [UInt8] { pieces.sorted { $0.key < $1.key }.flatMap(\.value) }
    var isComplete: Bool { pieces.count == first.parts }
  }

  struct Name: Hashable {
    var app: AppID
    var text: ExactText
  }

  struct State {
    var rows: [Row] = []
    var refusals: [Refusal] = []
    var groups: [Group] = []
    var attachments: [Int64: Attachment] = [:]
    var lastAttachment: Int64 = 0
    var keys: Set<DuplicateKey> = []
    var installs: [Name: Int] = [:]
    var lastHits: [Int64: [Int: Int64]] = [:]
    var ledgers: [Name: (ledger: DeviceLedger, received: Int64)] = [:]
    /// The number of rows when each day of a view was sealed.
    var seals: [ViewID: [Int: Int64]] = [:]
    var failure: WarehouseError?
    var isClosed = false
  }

  package let pendingRequests = PendingRequests()
  let catalog: any CatalogStore
  private let state = Locked(State())
  private let calendars = Locked<[String: Calendar]>([:])

  /// Creates an empty warehouse for the apps of a catalog.
  package init(catalog: any CatalogStore) { self.catalog = catalog }

  /// The number of rows stored, which is that of the last one.
  package var lastRow: Int64 { state.withLock { Int64($0.rows.count) } }

  /// Makes commits and write probes throw an error, until it is called with `nil`.
  package func fail(with failure: WarehouseError?) { state.withLock { $0.failure = failure } }

  /// Makes later calls throw until ``reopen()``.
  package func close() { state.withLock { $0.isClosed = true } }

  /// Opens the warehouse again, with everything stored.
  package func reopen() { state.withLock { $0.isClosed = false } }

  /// Returns a snapshot of what is stored.
  func stored() throws -> State {
    try state.withLock { state in
      if state.isClosed { throw WarehouseError(.unavailable, "The warehouse is closed.") }
      return state
    }
  }

  /// Returns the civil day of a time in an app's zone.
  func day(_ milliseconds: Int64, _ app: AppID) throws -> Day {
    guard let zone = try catalog.app(app)?.timeZone else {
      throw WarehouseError(.unknownApp, "There is no app \(app).")
    }
    let calendar = calendars.withLock { calendars in
      if let known = calendars[zone] { return known }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
      calendars[zone] = calendar
      return calendar
    }
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
  }

  // MARK: Writing

  package func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt { try store(batch, app: app) }

  package var isBehind: Bool { false }

  package func probeWrite() async throws { if let failure = try stored().failure { throw failure } }

  /// Counts events that were not read as rejected; see ``EventSink/reject(_:_:source:app:received:)``.
  package func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Timestamp)
    async throws
  {
    let rejections = (0..<count).map { Rejection(reason, index: $0) }
    try store(IncomingBatch(source: source, received: received, rejections: rejections), app: app)
  }

  /// Stores a batch; see ``EventSink/commit(_:app:)``.
  @discardableResult
  package func store(_ batch: IncomingBatch, app: AppID) throws -> CommitReceipt {
    try state.withLock { state in
      guard !state.isClosed else { throw WarehouseError(.unavailable, "The warehouse is closed.") }
      if let failure = state.failure { throw failure }
      return try add(batch, app, to: &state)
    }
  }

  private func add(_ batch: IncomingBatch, _ app: AppID, to state: inout State) throws -> CommitReceipt {
    let carriers = batch.errors.map(\.event) + batch.attachments.map(\.event) + batch.hits.map(\.event)
    guard carriers.allSatisfy(batch.events.indices.contains),
      batch.events.allSatisfy({
        batch.installs.indices.contains($0.install) && batch.devices.indices.contains($0.device)
      })
    else { throw WarehouseError(.invalid, "The batch refers to something that it lacks.") }
    let received = TimeBounds.clamp(batch.received.millisecondsSince1970)
    let today = try day(received, app)
    // Whatever fails has failed by now, before anything is stored.
    var receipt = CommitReceipt()
    let installsBefore = state.installs.count
    let expired =
      batch.errors.isEmpty && batch.attachments.isEmpty ? [] : state.removeUnclaimed(app, received: received)
    for (position, event) in batch.events.enumerated() {
      if let key = event.duplicateKey, state.keys.contains(key) {
        receipt.duplicates.append(event.index)
        continue
      }
      if let attachment = batch.attachments.last(where: { $0.event == position }),
        let reason = state.add(attachment, app, received: received)
      {
        receipt.rejections.append(Rejection(reason, index: event.index, id: attachment.eventID))
        continue
      }
      if let key = event.duplicateKey { state.keys.insert(key) }
      let time = TimeBounds.clamp(event.time.millisecondsSince1970)
      let install = state.number(of: batch.installs[event.install], app)
      let row = Row(
        id: Int64(state.rows.count + 1), app: app, source: batch.source, day: try day(time, app), time: time,
        received: received, install: install, device: batch.devices[event.device], event: event,
        startsSession: state.startsSession(event, at: time, install, app, batch.source),
        error: batch.errors.last { $0.event == position }, hit: batch.hits.last { $0.event == position })
      state.add(row)
      receipt.accepted += 1
    }
    receipt.newInstalls = state.installs.count - installsBefore
    if let ledger = batch.ledger, let event = batch.events.last {
      let name = Name(app: app, text: ExactText(batch.installs[event.install]))
      state.add(ledger.rejecting(receipt.rejections.count), of: name, received: received)
    }
    for rejection in batch.rejections + receipt.rejections + expired {
      state.refusals.append(
        Refusal(app: app, source: batch.source, day: today, received: received, rejection: rejection))
    }
    return receipt
  }

  /// Seals the days of views that are final; see docs/views.md.
  package func seal(_ views: [View], now: Timestamp) throws {
    let state = try stored()
    for view in views {
      let days = try NaiveViewDays(view, catalog: catalog, state: state).unsealed(now: now.millisecondsSince1970)
      self.state.withLock { state in
        for day in days { state.seals[view.id, default: [:]][day] = Int64(state.rows.count) }
      }
    }
  }
}

extension NaiveWarehouse.State {
  mutating func number(of install: String, _ app: AppID) -> Int {
    let name = NaiveWarehouse.Name(app: app, text: ExactText(install))
    if let known = installs[name] { return known }
    let number = installs.keys.count { $0.app == app } + 1
    installs[name] = number
    return number
  }

  /// Hits of the Measurement Protocol begin a session after a pause of more than 30 minutes.
  mutating func startsSession(
    _ event: IncomingEvent, at time: Int64, _ install: Int, _ app: AppID, _ source: IngestProtocol
  ) -> Bool {
    guard source == .measurement, event.kind != .drops else { return event.startsSession }
    let last = lastHits[app.rawValue]?[install]
    lastHits[app.rawValue, default: [:]][install] = max(last ?? time, time)
    return event.startsSession || last.map { time - $0 > 30 * 60_000 } ?? true
  }

  /// Stores a row, and the error that it may carry in the group of its fingerprint.
  mutating func add(_ row: NaiveWarehouse.Row) {
    var row = row
    if row.event.kind != .handledError, row.event.kind != .crash { row.error = nil }
    if let error = row.error {
      let known = groups.firstIndex {
        $0.app == row.app && $0.kind == row.event.kind && $0.error.fingerprint == error.fingerprint
      }
      if known == nil { groups.append(NaiveWarehouse.Group(app: row.app, kind: row.event.kind, error: error)) }
      row.group = Int64((known ?? groups.count - 1) + 1)
      if !error.id.isEmpty {
        for (id, attachment) in attachments
        where attachment.app == row.app && attachment.owner == nil && attachment.first.error == error.id {
          attachments[id]?.owner = row.id
        }
      }
    }
    rows.append(row)
  }

  /// Of two ledgers of an install, the one with more counts; an old one is replaced in any case.
  mutating func add(_ ledger: DeviceLedger, of name: NaiveWarehouse.Name, received: Int64) {
    if let known = ledgers[name], known.received >= received - LedgerTotals.lifetimeMilliseconds,
      (ledger.progress, received) < (known.ledger.progress, known.received)
    {
      return
    }
    ledgers[name] = (ledger, received)
  }

  /// Stores a piece of an attachment, or returns the reason why it can't.
  mutating func add(_ piece: IncomingAttachment, _ app: AppID, received: Int64) -> RejectionReason? {
    let known = attachments.first {
      $0.value.app == app && $0.value.first.error == piece.error && $0.value.first.id == piece.id
    }
    var attachment =
      known?.value
      ?? NaiveWarehouse.Attachment(
        app: app, first: piece, received: received,
        owner: rows.last { $0.app == app && $0.error?.id == piece.error }?.id)
    guard attachment.first.parts == piece.parts else { return .attachmentInvalid }
    if let stored = attachment.pieces[piece.part] { return stored == piece.data ? nil : .attachmentConflict }
    guard attachment.data.count + piece.data.count <= IncomingAttachment.maximumBytes else {
      return .attachmentTooLarge
    }
    attachment.pieces[piece.part] = piece.data
    if known == nil { lastAttachment += 1 }
    attachments[known?.key ?? lastAttachment] = attachment
    return nil
  }

  /// Removes attachments whose error hasn't arrived within a day, oldest first.
  mutating func removeUnclaimed(_ app: AppID, received: Int64) -> [Rejection] {
    let unclaimed = attachments.filter { $0.value.app == app && $0.value.owner == nil }.sorted { $0.key < $1.key }
    let expired = unclaimed.prefix { $0.value.received < received - 86_400_000 }
    for (id, _) in expired { attachments[id] = nil }
    return expired.map { Rejection(.attachmentUnclaimed, index: 0, id: $0.value.first.id) }
  }
}
