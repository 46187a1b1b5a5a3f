package import TernEvents
package import TernLog

/// The hits that wait, on disk, oldest first.
package final class HitStore: Sendable {
  /// The most hits that wait; beyond it the oldest go.
  package static let maximumHits = 10_000
  /// The most bytes on disk.
  package static let maximumBytes = 10_000_000
  /// From this age on a hit counts in no report, whatever the zone.
  package static let maximumAge: Duration = .seconds(7 * 86_400)

  package let log: EventLog

  /// Names the queue; it has yet to be opened.
  package init(directory: String, boot: UniqueID?, fileSystem: any FileSystem, clock: any TernClock) {
    log = EventLog(
      unopened: EventLog.Configuration(
        directory: directory, maximumBytes: Self.maximumBytes, maximumAge: Self.maximumAge, segmentBytes: 256 << 10,
        maximumRecordBytes: HitPayload.maximumBytes, bootID: boot ?? UniqueID(high: 0, low: 0)),
      fileSystem: fileSystem, clock: clock)
  }

  /// The oldest hits, as many as one batch may take.
  package func claim(maximumHits: Int) -> LogClaim? {
    let room = HitRequest.maximumBatchBytes - maximumHits * (HitPayload.queueTimeBytes + 1)
    return log.claim(maximumEvents: maximumHits, maximumBytes: max(room, 1))
  }

  /// Says what became of claimed hits.
  package func settle(_ claim: LogClaim, _ fate: DispatchMachine.Fate, isDry: Bool) {
    let ids = claim.records.map(\.id)
    let reason: DropReason? = isDry ? .dryRun : fate == .rejected ? .rejected : nil
    switch (fate, reason) {
    case (.returned, _): log.settle(claim.id, .returned)
    case (_, let reason?):
      log.settle(claim.id, .partly(delivered: [], dropped: Dictionary(uniqueKeysWithValues: ids.map { ($0, reason) })))
    case (_, nil): log.settle(claim.id, .delivered)
    }
  }

  /// Drops the oldest hits beyond the limit.
  package func trim() {
    while case let excess = log.counts.waiting - Self.maximumHits, excess > 0 {
      guard let claim = log.claim(maximumEvents: excess, maximumBytes: Self.maximumBytes) else { return }
      let dropped = Dictionary(uniqueKeysWithValues: claim.records.map { ($0.id, DropReason.queueFull) })
      log.settle(claim.id, .partly(delivered: [], dropped: dropped))
    }
  }
}

extension DropReason {
  /// The app recorded more than its allowance.
  package static let rateLimited = DropReason("rate_limited")
  /// The client is not among those that report.
  package static let sampledOut = DropReason("sampled_out")
  /// The hit has no type, or could not be sent for another reason.
  package static let invalid = DropReason("invalid")
  /// The app only pretended to send.
  package static let dryRun = DropReason("dry_run")
}
