import TernBase
import TernDelivery
import TernEvents
import TernLog

/// A drop report that has not been delivered yet, with its counts.
struct DropReport {
  let id: UniqueID
  let counts: [DropReason: Int]
}

/// The state of drop reporting: one report at a time, so that reports do not fill a queue under pressure.
struct DropReporter {
  /// The undelivered report, if any.
  var pending: DropReport?
  /// True if an event other than a report has left the queue since the last report. Without this condition, reports
  /// alone would keep requests going.
  var isDue = true
  /// True if a report was delivered: a second one with the drops since then may follow once the queue is empty.
  var mayFollow = false
}

extension DeliveryLoop {
  /// Records the drops since the last report, unless that one is still undelivered.
  ///
  /// Called before a batch is claimed, so that the report travels with other events.
  mutating func reportDrops() {
    forgetLostReport()
    guard drops.pending == nil, drops.isDue else { return }
    drops.pending = engine.recordDrops()
    if drops.pending != nil { drops.isDue = false }
  }

  /// Uncounts a report that was itself evicted, damaged, expired or erased, so that the next one repeats its counts.
  private mutating func forgetLostReport() {
    guard let report = drops.pending else { return }
    let isUnderWay = claims.values.contains { claim in claim.records.contains { $0.id == report.id } }
    // Reports use the critical lane: if it is empty and no claim has the report, the report is lost.
    guard !isUnderWay, engine.log.counts.waitingCritical == 0 else { return }
    for (reason, count) in report.counts { engine.log.uncountReported(reason, count) }
    drops = DropReporter()
  }

  /// Updates the state after events have left the queue for good.
  mutating func reportsSettled(_ records: some Sequence<LogRecord>) {
    for record in records {
      if record.id == drops.pending?.id { drops.pending = nil }
      if record.isReportOfDrops { drops.mayFollow = true } else { drops.isDue = true }
    }
    // The queue is empty, so no other events can carry the drops that were too late for the report: send another one.
    guard drops.mayFollow, engine.waiting.total == 0 else { return }
    drops.mayFollow = false
    drops.isDue = true
    reportDrops()
  }
}

extension Engine {
  /// Records unreported drops as a critical event, which is evicted last and sent first.
  fileprivate func recordDrops() -> DropReport? {
    let counts = log.counts
    var unreported: [DropReason: Int] = [:]
    for (reason, count) in counts.dropped {
      let new = count - counts.reported[reason, default: 0]
      if new > 0 { unreported[reason] = new }
    }
    if unreported.isEmpty { return nil }
    let properties = Properties(
      Dictionary(uniqueKeysWithValues: unreported.map { ($0.key.description, PropertyValue.integer(Int64($0.value))) }))
    let (result, id) = recorder.withLock { recorder -> (Recorder.Result, UniqueID?) in
      // A client disabled in the meantime would drop the report itself, and one that only buffers it in memory would
      // consider it lost.
      guard recorder.isEnabled, recorder.outage == nil else { return (.nothing, nil) }
      let result = recorder.record(.drops, "", properties, .critical, into: log, clock: environment.clock)
      return (result, recorder.lastID)
    }
    if case .dropped(let reason) = result {
      // The report itself was dropped and counted. Reporting that would drop the next report, and so on.
      log.countReported(reason, 1)
      return nil
    }
    guard case .post = result, let id else { return nil }
    for (reason, count) in unreported { log.countReported(reason, count) }
    return DropReport(id: id, counts: unreported)
  }

  /// Counts rejected drop reports as reported: a server that rejects one would reject the next.
  func countRejectedReports(in records: [LogRecord]) {
    log.countReported(.rejected, records.count { $0.isReportOfDrops })
  }
}

extension LogRecord {
  /// True if the event is a drop report; its members begin with its type.
  fileprivate var isReportOfDrops: Bool { payload.starts(with: "\"type\":\"drops\"".utf8) }
}
