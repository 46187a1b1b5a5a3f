import TernBase
import TernDelivery
import TernEvents
import TernLog

/// A report of drops that is on its way, and what it tells.
struct DropReport {
  let id: UniqueID
  let counts: [DropReason: Int]
}

/// The schedule of drop reports: one at a time, so that they do not fill a queue under pressure.
struct DropReporter {
  /// The report that has not arrived yet.
  var pending: DropReport?
  /// An event other than a report was delivered since the last report: each batch outage one would be no progress.
  var isDue = true
  /// A report arrived: what was dropped while it was on its way goes after it, with the last of the others.
  var mayFollow = false
}

extension DeliveryLoop {
  /// Records what was dropped since the last report, unless that one is still on its way.
  ///
  /// Called before a batch is claimed: only what was dropped while a report was on its way is a reason for a request.
  mutating func reportDrops() {
    forgetLostReport()
    guard drops.pending == nil, drops.isDue else { return }
    drops.pending = engine.recordDrops()
    if drops.pending != nil { drops.isDue = false }
  }

  /// Takes back the counts of a report that was itself evicted, damaged, outdated or erased.
  private mutating func forgetLostReport() {
    guard let report = drops.pending else { return }
    let isUnderWay = claims.values.contains { claim in claim.records.contains { $0.id == report.id } }
    // Reports lie in the critical lane: if nothing waits there, this one neither waits nor is under way.
    guard !isUnderWay, engine.log.counts.waitingCritical == 0 else { return }
    for (reason, count) in report.counts { engine.log.uncount(reason.report, count) }
    drops = DropReporter()
  }

  /// Takes note of events that left for good.
  mutating func reportsSettled(_ records: some Sequence<LogRecord>) {
    for record in records {
      if record.id == drops.pending?.id { drops.pending = nil }
      if record.isReportOfDrops { drops.mayFollow = true } else { drops.isDue = true }
    }
    // Nothing else is left to travel with: the drops that came too late for the report go after it.
    guard drops.mayFollow, engine.waiting.total == 0 else { return }
    drops.mayFollow = false
    drops.isDue = true
    reportDrops()
  }
}

extension Engine {
  /// Records what was dropped and not reported yet, as a critical event: the last to be evicted and the first to go.
  fileprivate func recordDrops() -> DropReport? {
    let dropped = log.counts.dropped
    var news: [DropReason: Int] = [:]
    for (reason, count) in dropped where !reason.isReport {
      let new = count - dropped[reason.report, default: 0]
      if new > 0 { news[reason] = new }
    }
    if news.isEmpty { return nil }
    let properties = Properties(
      Dictionary(uniqueKeysWithValues: news.map { ($0.key.description, PropertyValue.integer(Int64($0.value))) }))
    let (result, id) = recorder.withLock { recorder -> (Recorder.Result, UniqueID?) in
      // A client that was disabled meanwhile would drop the report, and count a drop of which no event knows.
      // One that is kept in memory would be taken for lost.
      guard recorder.isEnabled, recorder.outage == nil else { return (.nothing, nil) }
      let result = recorder.record(.drops, "", properties, .critical, into: log, clock: environment.clock)
      return (result, recorder.lastID)
    }
    if case .dropped(let reason) = result {
      // The report itself was dropped and counted. Reporting that would drop the next report, and so on.
      log.count(reason.report, 1)
      return nil
    }
    guard case .post = result, let id else { return nil }
    for (reason, count) in news { log.count(reason.report, count) }
    return DropReport(id: id, counts: news)
  }

  /// Takes refused reports of drops out of what is to be reported: a server that refuses one refuses the next.
  func forgive(rejected records: [LogRecord]) {
    log.count(DropReason.rejected.report, records.count { $0.isReportOfDrops })
  }
}

extension DropReason {
  private static let prefix = "reported:"

  /// Under which the log counts how many drops of this reason the collector has been told of.
  ///
  /// In the log's own ledger, because a process that adopts the events of another adopts its ledger with them, and what
  /// was reported must not part from what was dropped.
  var report: DropReason { DropReason(Self.prefix + description) }

  /// True if this counts reports and not drops.
  var isReport: Bool { description.hasPrefix(Self.prefix) }
}

extension LogRecord {
  /// True if the event is a report of drops; its type follows its identifier.
  fileprivate var isReportOfDrops: Bool {
    let start = "{\"id\":\"".utf8.count + 36
    return payload.dropFirst(start).starts(with: "\",\"type\":\"drops\"".utf8)
  }
}
