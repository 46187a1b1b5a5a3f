package import Ingest
import RowFiles
import ServerBase
import TernEvents
import Threads
package import Warehouse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Writer {
  /// Stores batches in one transaction and resumes their waiting callers.
  ///
  /// If the transaction fails, each batch is retried alone, so that one bad batch doesn't fail the others.
  func commit(_ jobs: [CommitJob]) {
    let jobs = jobs.filter { job in
      // Batches of unknown apps fail before the transaction: one such error inside would roll back all batches, and each
      // would be stored again on its own.
      do {
        try checkExists(job.app)
        return true
      } catch {
        job.waiter.resume(throwing: WarehouseError.from(error))
        return false
      }
    }
    guard !jobs.isEmpty else { return }
    do {
      let receipts = try store(jobs)
      // A server that has taken the directory knows what was committed before, and nothing else.
      try configuration.checkOwner()
      for (job, receipt) in zip(jobs, receipts) { job.waiter.resume(returning: receipt) }
    } catch {
      let failure = WarehouseError.from(error)
      // A full or failing disk affects all batches, so retrying them one by one would only delay the error.
      let isAboutOne = (error as? SQLFailure)?.isAboutValues ?? (failure.code != .full && failure.code != .unavailable)
      guard jobs.count > 1, isAboutOne else {
        return jobs.forEach { $0.waiter.resume(throwing: failure) }
      }
      for job in jobs { commit([job]) }
    }
  }

  /// Throws if an app is unknown or is being deleted.
  private func checkExists(_ app: AppID) throws {
    guard !refusedApps.contains(app.rawValue) else { throw WarehouseError(.unknownApp, "App \(app) is being deleted.") }
    _ = try calendar(app.rawValue)
  }

  /// Counts events that were not read as rejected.
  func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Int64) throws {
    try checkExists(app)
    let day = try calendar(app.rawValue).day(of: received)
    try transact { try rejections.add(count, reason, source: source, app: app.rawValue, day: day) }
  }

  /// The approximate size of a batch on disk; more than fits into pages that happen to be free.
  private static let writeProbeBytes = 64 << 10

  /// Stores about as much as a batch does, then removes it.
  func probeWrite() throws {
    try space.check()
    try configuration.checkReadBack()
    try duplicates.checkRoom(throughRow: lastID)
    try transact {
      try connection.execute(
        "INSERT OR REPLACE INTO write_probe (id, bytes) VALUES (1, zeroblob(\(Self.writeProbeBytes)))")
    }
    try transact { try connection.execute("DELETE FROM write_probe") }
  }

  private func store(_ jobs: [CommitJob]) throws -> [CommitReceipt] {
    try rows.restoreSuspect()
    try space.check()
    try duplicates.checkRoom(throughRow: lastID)
    let receipts = try transactWithKeys {
      let receipts = try jobs.map { job in
        let received = job.batch.received.millisecondsSince1970
        return try store(
          job.batch, app: job.app, refusingBefore: try timeOfOldestRecognized(received: TimeBounds.clamp(received)))
      }
      try installs.storeCounts()
      try users.storeCounts()
      try storeHitsIfDue()
      return receipts
    }
    duplicates.committed(throughRow: lastID)
    return receipts
  }

  /// Stores a batch in the open transaction.
  ///
  /// - Parameter oldest: The time before which events are refused whatever their app; an import has no such limit.
  package func store(_ batch: IncomingBatch, app: AppID, refusingBefore oldest: Int64 = .min) throws -> CommitReceipt {
    try configuration.beforeBatch?(app)
    try configuration.checkReadBack()
    try checkExists(app)
    try batch.check()
    var context = BatchContext(
      batch: batch, app: app.rawValue, calendar: try calendar(app.rawValue),
      names: try dictionary.names(app: app.rawValue))
    var receipt = CommitReceipt()
    duplicates.arrived(at: context.received)
    let hasDetails = !batch.errors.isEmpty || !batch.attachments.isEmpty
    var leftOut =
      hasDetails ? try errors.removeUnclaimed(app: app.rawValue, received: context.received) : []
    var refused = try refusedPersons.check(app: context.app)
    let oldest = max(oldest, try horizon(of: context.app) ?? .min)
    let installsBefore = try installs.count(app: context.app)
    let bytesBefore = try (hasDetails ? nil : usedBytes) ?? usedPages.bytes()
    for (position, event) in batch.events.enumerated() {
      if refused?.contains(event, of: batch) ?? false {
        receipt.rejections.append(Rejection(.personRefused, index: event.index))
        continue
      }
      // A duplicate of a row that is gone could not be told from a new event.
      if event.time.millisecondsSince1970 < oldest {
        receipt.rejections.append(Rejection(.timeTooOld, index: event.index))
        continue
      }
      // Before its key is kept: what is refused gets no row, so a start would not find its key again.
      if event.kind.mayCarryMore, event.duplicateKey.map(duplicates.contains) != true,
        let refused = try storeAttachment(at: position, &context)
      {
        receipt.rejections.append(Rejection(refused.reason, index: event.index, id: refused.event))
        continue
      }
      if let key = event.duplicateKey, !duplicates.insert(key) {
        receipt.duplicates.append(event.index)
        continue
      }
      let row = try store(event, at: position, &context)
      if row.flags.isNameLimited { receipt.unnamed += 1 }
      if event.kind.mayCarryMore, let error = try storeError(at: position, row, user: event.user, &context) {
        leftOut.append(Rejection(.errorTextNotKept, index: event.index, id: error))
      }
      receipt.accepted += 1
    }
    receipt.newInstalls = Int(clamping: try installs.count(app: context.app) - installsBefore)
    if let ledger = batch.ledger, let event = batch.events.last, !(refused?.contains(event, of: batch) ?? false) {
      // Without a receipt, the client considers all events of the batch stored.
      try ledgers.add(
        ledger.rejecting(receipt.rejections.count), app: app.rawValue, slot: try slot(event.install, &context),
        received: context.received)
    }
    if hasDetails { leftOut += try errors.trim(app: app.rawValue) }
    if !batch.rejections.isEmpty || !receipt.rejections.isEmpty || !leftOut.isEmpty {
      var refused = batch
      refused.rejections += receipt.rejections + leftOut
      try rejections.add(refused, app: app.rawValue, day: context.receivedDay)
    }
    let bytesAfter = try usedPages.bytes()
    usedBytes = bytesAfter
    // Texts may have taken the place of older ones.
    receipt.bytes = context.rowBytes + max(context.textBytes, bytesAfter - bytesBefore)
    return receipt
  }

  /// The approximate bytes of a row without its properties, with its key and its part of the columns.
  private static let rowBytes = 80

  /// Returns the time before which events of an app are refused.
  private func horizon(of app: Int64) throws -> Int64? {
    let horizons = try horizons ?? Horizons.times(connection)
    self.horizons = horizons
    return horizons[app]
  }

  /// The state shared by the events of one batch, resolved once.
  struct BatchContext {
    let app: Int64
    let received: Int64
    let calendar: ZoneCalendar
    let isMeasurement: Bool
    let batch: IncomingBatch
    let names: AppNames
    /// The approximate bytes of the batch's rows on disk so far.
    var rowBytes = 0
    /// The bytes of errors' texts and attachments so far.
    var textBytes = 0
    /// A buffer for the encoded properties of the current event.
    var scratch: [UInt8] = []
    var slots: [UInt32?]
    var devices: [DeviceKeys?]
    /// The names of the last event's properties, and their IDs. Most events of a batch have the same ones.
    private var knownNames: [(name: String, id: Int64)] = []
    /// The indexes of the batch's errors, attachments and hits, by the positions of their events.
    let errors: [Int: Int]
    let attachments: [Int: Int]
    let hits: [Int: Int]

    init(batch: IncomingBatch, app: Int64, calendar: ZoneCalendar, names: AppNames) {
      self.app = app
      self.calendar = calendar
      self.names = names
      self.batch = batch
      received = TimeBounds.clamp(batch.received.millisecondsSince1970)
      isMeasurement = batch.source == .measurement
      slots = Array(repeating: nil, count: batch.installs.count)
      devices = Array(repeating: nil, count: batch.devices.count)
      errors = Self.positions(batch.errors.map(\.event))
      attachments = Self.positions(batch.attachments.map(\.event))
      hits = Self.positions(batch.hits.map(\.event))
    }

    private static func positions(_ events: [Int]) -> [Int: Int] {
      Dictionary(zip(events, events.indices), uniquingKeysWith: { $1 })
    }

    /// Returns the ID of the name of the property at a position of an event; 0 if the app has too many.
    @inline(__always)
    mutating func nameID(_ name: String, of slot: UInt32, at position: Int) throws -> Int64 {
      if position < knownNames.count, knownNames[position].name.hasSameBytes(as: name) {
        return knownNames[position].id
      }
      let id = try names.id(.property, name, slot: slot, received: received)
      // Not if there is no room: there may be some tomorrow.
      guard id != 0 else { return 0 }
      if position < knownNames.count {
        knownNames[position] = (name, id)
      } else if position == knownNames.count {
        knownNames.append((name, id))
      }
      return id
    }

    var receivedDay: Int { calendar.day(of: received) }
  }

  @discardableResult
  @inline(__always)
  private func store(_ event: IncomingEvent, at position: Int, _ context: inout BatchContext) throws -> EventRow {
    let time = TimeBounds.clamp(event.time.millisecondsSince1970)
    let slot = try slot(event.install, &context)
    let keys = try device(event.device, of: slot, &context)
    let starts =
      try event.startsSession
      || context.isMeasurement && event.kind != .drops && hits.startsSession(app: context.app, slot: slot, at: time)
    lastID += 1
    var row = EventRow(
      id: lastID, app: context.app, time: time, lag: context.received - time, slot: slot, device: keys.id,
      session: event.session,
      flags: EventRow.Flags(
        kind: event.kind, startsSession: starts, isMeasurement: context.isMeasurement, microseconds: event.microseconds),
      name: try context.names.id(event.kind.nameKind, event.name, slot: slot, received: context.received),
      key: event.duplicateKey)
    row.flags.isNameLimited = try encode(event.properties, of: slot, &context) || keys.isNameLimited
    if row.name == 0, event.name != Dimension.otherKey {
      row.flags.isNameLimited = true
      PropertyCoding.append(eventName: event.name, to: &context.scratch)
    }
    context.rowBytes += Self.rowBytes + event.user.utf8.count + context.scratch.count
    try context.scratch.withUnsafeBytes { bytes in
      if let hit = context.batch.hits.isEmpty ? nil : context.hits[position] {
        try HitCoding.encoded(context.batch.hits[hit].parameters).withUnsafeBytes {
          context.rowBytes += $0.count
          try rows.add(row, user: event.user, properties: bytes, parameters: $0)
        }
      } else {
        try rows.add(row, user: event.user, properties: bytes, parameters: nil)
      }
    }
    if context.isMeasurement { try hits.note(row) }
    if !event.user.isEmpty { try users.add(event.user, app: context.app) }
    return row
  }

  private func slot(_ index: Int, _ context: inout BatchContext) throws -> UInt32 {
    if let slot = context.slots[index] { return slot }
    let slot = try installs.slot(app: context.app, install: context.batch.installs[index], day: context.receivedDay)
    context.slots[index] = slot
    return slot
  }

  private func device(_ index: Int, of slot: UInt32, _ context: inout BatchContext) throws -> DeviceKeys {
    if let keys = context.devices[index] { return keys }
    let keys = try devices.keys(app: context.app, context.batch.devices[index], slot: slot, received: context.received)
    context.devices[index] = keys
    return keys
  }

  /// - Returns: True if a name got no ID because there are too many.
  @inline(__always)
  private func encode(_ properties: [Properties.Element], of slot: UInt32, _ context: inout BatchContext) throws -> Bool
  {
    context.scratch.removeAll(keepingCapacity: true)
    var isNameLimited = false
    for (position, property) in properties.enumerated() {
      let id = try context.nameID(property.name, of: slot, at: position)
      if id == 0, property.name != Dimension.otherKey { isNameLimited = true }
      PropertyCoding.append(name: property.name, id: UInt64(bitPattern: id), to: &context.scratch)
      PropertyCoding.append(property.value, to: &context.scratch)
    }
    return isNameLimited
  }
}

extension String {
  /// Compares bytes: Swift strings compare as equal if they are canonically equivalent.
  @inline(__always)
  fileprivate func hasSameBytes(as other: String) -> Bool {
    utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard left.count == right.count, let one = left.baseAddress, let two = right.baseAddress else { return false }
        return memcmp(one, two, left.count) == 0
      } ?? false
    } ?? false
  }
}

extension StoredKind {
  /// The dictionary for names of this kind.
  package var nameKind: NameKind {
    switch self {
    case .event: .event
    case .screen: .screen
    case .sessionStart, .drops, .handledError, .crash, .other, .attachment, .attachmentPart: .logType
    }
  }
}

extension IncomingBatch {
  /// Throws if anything refers to an install, device or event that the batch lacks.
  func check() throws {
    let carriers = errors.map(\.event) + attachments.map(\.event) + hits.map(\.event)
    guard carriers.allSatisfy(events.indices.contains) else {
      throw WarehouseError(.invalid, "An error, attachment or hit refers to an event that isn't in the batch.")
    }
    for event in events where !installs.indices.contains(event.install) || !devices.indices.contains(event.device) {
      throw WarehouseError(
        .invalid,
        "Event \(event.index) refers to install \(event.install) or device \(event.device), missing from the batch.")
    }
  }
}
