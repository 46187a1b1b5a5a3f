import TernEvents

struct MeasurementReading {
  private(set) var batches: [MeasurementBatch] = []
  private let userAgent: String?
  private let received: Timestamp
  private let key: DuplicateHashKey
  private let limits: IngestLimits

  init(userAgent: String?, received: Timestamp, key: DuplicateHashKey, limits: IngestLimits) {
    self.userAgent = userAgent
    self.received = received
    self.key = key
    self.limits = limits
  }

  mutating func reject(_ reason: RejectionReason, index: Int, trackingID: String = "") {
    reject(Rejection(reason, index: index), trackingID: trackingID)
  }

  private mutating func reject(_ rejection: Rejection, trackingID: String) {
    let isKnown = batches.contains { $0.trackingID == trackingID }
    let batch = batchIndex(isKnown || batches.count < MeasurementParser.maximumTrackingIDs ? trackingID : "")
    batches[batch].batch.rejections.append(rejection)
  }

  /// Rejects a hit without parsing it, and counts the rejection for the app that it names.
  mutating func rejectUnparsed(_ payload: UnsafeRawBufferPointer, _ reason: RejectionReason, index: Int) {
    reject(reason, index: index, trackingID: MeasurementHit.trackingID(of: MeasurementParser.trimmed(payload)))
  }

  mutating func add(_ payload: UnsafeRawBufferPointer, index: Int) {
    guard payload.count <= MeasurementParser.maximumHitBytes else {
      return rejectUnparsed(payload, .eventTooLarge, index: index)
    }
    let hit = MeasurementHit(MeasurementParser.trimmed(payload), limits: limits)
    if let reason = hit.rejectionReason {
      // One message per parameter, for the hit inspector.
      let faults = MeasurementValidation(payload, limits: limits).messages.map(\.description)
      let rejection = Rejection(
        index: index, id: hit.summary, reason: reason.rawValue,
        message: faults.isEmpty ? reason.message : faults.joined(separator: " "))
      return reject(rejection, trackingID: hit.trackingID)
    }
    if let masked = hit.masked(payload) {
      masked.withUnsafeBytes { store(hit, text: $0, index: index) }
    } else {
      store(hit, text: payload, index: index)
    }
  }

  private mutating func store(_ hit: MeasurementHit, text: UnsafeRawBufferPointer, index: Int) {
    let batch = batchIndex(hit.trackingID)
    let install = Self.index(of: hit.client, in: &batches[batch].batch.installs)
    let device = Self.index(of: hit.device(userAgent: userAgent), in: &batches[batch].batch.devices)
    batches[batch].batch.append(
      IncomingEvent(
        index: index, kind: hit.kind, duplicateKey: duplicateKey(of: hit),
        time: received - .milliseconds(hit.queueMilliseconds),
        install: install,
        device: device, startsSession: hit.startsSession, user: hit.user, name: hit.name,
        properties: hit.properties(raw: text)))
    batches[batch].batch.hits.append(
      IncomingHit(event: batches[batch].batch.events.count - 1, parameters: hit.keptParameters))
    guard hit.kind == .handledError || hit.kind == .crash else { return }
    batches[batch].batch.append(
      ErrorReading(type: hit.name, message: hit.errorDescription).error(
        event: batches[batch].batch.events.count - 1, id: "", fallback: hit.name, raw: text))
  }

  /// Returns the index of the batch of a tracking ID. A request normally has few tracking IDs, but a hostile one may
  /// name many: one per parsed hit, plus those that ``reject(_:index:trackingID:)`` admits.
  private mutating func batchIndex(_ trackingID: String) -> Int {
    if let index = batches.firstIndex(where: { $0.trackingID == trackingID }) { return index }
    batches.append(
      MeasurementBatch(trackingID: trackingID, batch: IncomingBatch(source: .measurement, received: received)))
    return batches.count - 1
  }

  private static func index<Element: Equatable>(of element: Element, in list: inout [Element]) -> Int {
    if let index = list.firstIndex(of: element) { return index }
    list.append(element)
    return list.count - 1
  }

  /// Returns the key of a hit. A retry repeats `ht` and `z`, while its `qt` grows.
  ///
  /// Clients without `ht` are deduplicated by `z` and all other parameters except `qt`, in fixed windows of 48 hours of
  /// receipt; a retry in the next window counts again. `z` alone would not do: hand-written clients often send the same
  /// value with every hit.
  private func duplicateKey(of hit: MeasurementHit) -> DuplicateKey? {
    guard var buster = hit.cacheBuster else { return nil }
    let hasher = InstallHasher(key: key, app: 0, install: hit.trackingID + "\u{0}" + hit.client)
    if let milliseconds = hit.deviceMilliseconds {
      var type = "z ht"
      let hash = type.withUTF8 { type in
        buster.withUTF8 { buster in
          hasher.hash(type: UnsafeRawBufferPointer(type), bytes: UnsafeRawBufferPointer(buster))
        }
      }
      return DuplicateKey(milliseconds: milliseconds, hash: hash)
    }
    let window: Int64 = 48 * 3_600_000
    let hash = buster.withUTF8 { buster in
      hit.parameters.text(without: ["z", "qt"]).withUnsafeBytes { text in
        hasher.hash(type: UnsafeRawBufferPointer(buster), bytes: text)
      }
    }
    return DuplicateKey(milliseconds: received.millisecondsSince1970 / window * window, hash: hash)
  }
}
