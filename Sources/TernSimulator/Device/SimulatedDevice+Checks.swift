import Tern
import TernEvents
import TernLog
import TernTestSupport

/// The checks for each batch.
extension SimulatedDevice {
  /// Checks the contents of a batch; returns its events as indices into `ExpectedState`.
  func checkBatch(_ process: SimulatedProcess, _ records: [LogRecord]) -> [Int] {
    if !process.client.isEnabled { fail("disabled", "process \(process.number) sends while it is disabled") }
    if records.isEmpty || records.count > process.setup.maximumBatchEvents {
      fail("batch", "a batch has \(records.count) events; at most \(process.setup.maximumBatchEvents) are allowed")
    }
    let bytes = records.reduce(0) { $0 + $1.bytes }
    if records.count > 1, bytes > process.setup.maximumBatchBytes {
      fail("batch", "a batch has \(bytes) bytes; at most \(process.setup.maximumBatchBytes) are allowed")
    }
    var places: [Int] = []
    var last: [Int: Int] = [:]
    var hasNormal = false
    for record in records {
      guard let place = expected.place(of: record.id) else {
        fail("content", "\(record.id) is sent but was never recorded")
        continue
      }
      places.append(place)
      let entry = expected[place]
      if entry.openRequests > 0 { fail("claims", "\(record.id) is in two requests at a time") }
      if entry.isErased { fail("erase", "\(record.id) is sent after it was erased") }
      if entry.isAcknowledged, drops.acknowledgedInCrash == 0, drops.tears == 0 {
        fail("settle", "\(record.id) is sent again after its delivery was acknowledged")
      }
      if hasNormal, entry.isCritical { fail("order", "a critical event follows a normal one") }
      hasNormal = hasNormal || !entry.isCritical
      checkOrder(process, place, entry, &last)
      expected[place].openRequests += 1
      expected[place].wasClaimed = true
    }
    return places
  }

  /// Checks that a health probe has a reason.
  func checkHealthProbe(_ process: SimulatedProcess) -> [Int] {
    if !process.client.isEnabled {
      fail("disabled", "process \(process.number) sends a health probe while it is disabled")
    }
    // State saved by another process, or by one that died within a call, may be outdated.
    if !isFailing, !isMemoryStale, !process.hasProbed, !traits.hasCompanion, drops.acknowledgedInCrash == 0 {
      fail("probes", "process \(process.number) sends a health probe to a collector that has not failed")
    }
    process.hasProbed = true
    return []
  }

  /// Checks the order of events: those of one process and lane are claimed in the order in which they were recorded,
  /// within a batch, and across batches when claimed for the first time.
  private func checkOrder(
    _ process: SimulatedProcess, _ place: Int, _ entry: ExpectedState.Entry, _ last: inout [Int: Int]
  ) {
    let stream = entry.process * 2 + (entry.isCritical ? 1 : 0)
    if let before = last[stream], before > place { fail("order", "a batch has events of one lane out of order") }
    last[stream] = place
    if !entry.wasClaimed {
      if let before = process.lastClaimed[stream], before > place {
        fail("order", "\(entry.event.id) is claimed for the first time after a later one of its lane")
      }
      process.lastClaimed[stream] = place
    }
  }
}

/// The checks at the end of a device's life.
extension SimulatedDevice {
  func checkAccounts(_ process: SimulatedProcess) {
    let counted = totals
    let all = drops.drops(counted: counted)
    let losses = losses(counted: counted)
    let missing = expected.stored - expected.acknowledged
    if !losses.contains(missing) {
      fail(
        "accounts", "\(missing) events were not delivered, and \(losses) drops of them were counted: \(counted.text)")
    }
    for place in 0..<expected.stored where !expected[place].isCommitted && expected[place].isAcknowledged {
      fail("accounts", "\(expected[place].event.id) left the device, but the report does not have it")
    }
    for reason in [DropReason.disabled, .tooLarge, .storageFailed] {
      let number = expected.refused[reason] ?? 0
      if !drops.drops(reason, counted: counted).contains(number) {
        fail("accounts", "\(number) events were refused as \(reason), but \(counted[reason] ?? 0) were counted")
      }
    }
    checkReason(.rejected, counted, atMost: expected.rejected)
    checkReason(.damaged, counted, atMost: drops.tears)
    report.statistics.dropped = counted
    report.statistics.forgotten = max(all.lowerBound - counted.values.reduce(0, +), 0)
    for (reason, count) in counted.sorted(by: { $0.key.description < $1.key.description }) {
      report.digest.mix(reason.description)
      report.digest.mix(UInt64(count))
    }
  }

  /// Checks that a reason with a specific cause is not counted more often than the cause occurred.
  private func checkReason(_ reason: DropReason, _ counted: [DropReason: Int], atMost: Int) {
    let range = drops.drops(reason, counted: counted)
    if range.lowerBound > atMost {
      fail("accounts", "\(range) events were dropped as \(reason), but at most \(atMost) can be")
    }
  }
}
