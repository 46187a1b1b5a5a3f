import Tern
import TernDelivery
import TernEvents
import TernLog

/// Requests to the collector and their responses.
extension SimulatedDevice {
  func send(_ process: SimulatedProcess, _ batch: DeliveryMachine.BatchID, _ records: [LogRecord]) {
    let places = records.isEmpty ? checkHealthProbe(process) : checkBatch(process, records)
    lastRequest += 1
    let number = lastRequest
    report.statistics.requests += 1
    let failureGeneration = process.timing.failureGeneration
    process.open.append(number)
    if let fault = process.timing.started(now: clock.uptime, inFlight: process.open.count) {
      fail("timing", "process \(process.number): \(fault)")
    }
    let bytes = records.reduce(0) { $0 + $1.payload.count + 1 }
    guard let request = process.engine.request(for: records) else { return }
    report.statistics.bytesSent += request.body.count
    for record in records { report.digest.mix(record.id.low) }
    var open = OpenRequest(
      process: process.number, batch: batch, request: request, places: places, bytes: bytes, sentAt: clock.now,
      failureGeneration: failureGeneration, effect: effect())
    note(10, "request \(number) of process \(process.number): \(records.count) events, \(bytes) bytes, \(open.effect)")
    dispatch(&open, number)
    requests[number] = open
  }

  private func effect() -> OpenRequest.NetworkEffect {
    let network = traits.network
    if isHealing { return .answered }
    if net.chance(network.loss) { return .lost }
    if net.chance(network.resetBefore) { return .resetBefore }
    if net.chance(network.resetAfter) { return .resetAfter }
    if net.chance(network.slow) { return .slow }
    if net.chance(network.error) { return .error(net.pick([500, 502, 503, 504, 408, 429, 404, 301])) }
    return .answered
  }

  private func dispatch(_ open: inout OpenRequest, _ number: Int) {
    let trip = Duration.seconds(Double.random(in: traits.network.roundTrip, using: &net))
    if isOffline {
      open.hasLeft = false
      let isQuick = net.chance(0.9)
      fail(&open, number, isQuick ? .offline : .timedOut, in: isQuick ? .milliseconds(20) : Self.timeout)
      return
    }
    switch open.effect {
    case .lost: fail(&open, number, .timedOut, in: Self.timeout)
    case .resetBefore: fail(&open, number, .connection, in: min(trip, Self.timeout))
    case .error(let status):
      open.reply = .failed(wait: nil)
      open.isOnItsWay = false
      open.result = .response(TransportResponse(status: status))
      queue.add(.answer(request: number), at: clock.now + min(trip, Self.timeout))
    case .answered, .resetAfter, .slow:
      let transfer = Duration.seconds(Double(open.request.body.count) / 200_000)
      queue.add(.arrival(request: number), at: clock.now + min(trip / 2 + transfer, Self.timeout))
    }
  }

  private func fail(
    _ open: inout OpenRequest, _ number: Int, _ kind: TransportFailure.Kind, in delay: Duration
  ) {
    open.isOnItsWay = false
    open.reply = .failed(wait: nil)
    open.result = .failure(TransportFailure(kind, "simulated"))
    queue.add(.answer(request: number), at: clock.now + delay)
  }

  func arrives(_ number: Int) {
    guard var open = requests[number], open.isOnItsWay else { return }
    defer { requests[number] = open.isOrphan ? nil : open }
    guard !isOffline else { return fail(&open, number, .connection, in: .milliseconds(50)) }
    open.isOnItsWay = false
    let exchange = collector.receive(open.request, at: SimulatedClock.start + clock.now)
    if let problem = exchange.problem { fail("requests", problem) }
    commit(exchange, open)
    note(11, "request \(number) arrives: \(exchange.reply), status \(exchange.response.status)")
    let back = Duration.seconds(Double.random(in: traits.network.roundTrip, using: &net)) / 2
    let left = Self.timeout - (clock.now - open.sentAt)
    switch open.effect {
    case .resetAfter: return fail(&open, number, .connection, in: min(back, left))
    case .slow:
      let delay = net.seconds(1, 150)
      if delay >= left { return fail(&open, number, .timedOut, in: left) }
      queue.add(.answer(request: number), at: clock.now + delay)
    default: queue.add(.answer(request: number), at: clock.now + min(back, left))
    }
    open.reply = exchange.reply
    open.result = .response(exchange.response)
  }

  /// Checks the events that reached the collector: they must match the recorded ones, and none may have been erased.
  private func commit(_ exchange: SimulatedCollector.Exchange, _ open: OpenRequest) {
    report.statistics.duplicates += exchange.duplicates
    if !exchange.events.isEmpty, exchange.events.count != open.places.count {
      fail("requests", "a request of \(open.places.count) events carries \(exchange.events.count)")
      return
    }
    for (index, item) in exchange.events.enumerated() {
      let place = open.places[index]
      let entry = expected[place]
      if !item.event.isSame(as: entry.event) { fail("content", "\(item.event) was recorded as \(entry.event)") }
      guard item.isStored, !entry.isCommitted else { continue }
      if entry.isErased, !entry.isExempt { fail("erase", "\(entry.event.id) arrives after it was erased") }
      expected[place].isCommitted = true
      report.statistics.reported += 1
      report.statistics.worstDelay = max(report.statistics.worstDelay, clock.now - entry.storedAt)
    }
  }

  func answers(_ number: Int) {
    guard var open = requests[number], !open.isOrphan, let process = process(open.process) else { return }
    if process.isSuspended {
      process.heldAnswers.append(number)
      return
    }
    if isOffline, case .response = open.result {
      open.reply = .failed(wait: nil)
      open.result = .failure(TransportFailure(.connection, "simulated"))
    }
    deliver(process, number, open)
  }

  /// Delivers the responses that arrived while the process was suspended; some connections did not survive.
  func deliverHeldAnswers(_ process: SimulatedProcess) {
    let numbers = process.heldAnswers
    process.heldAnswers = []
    for number in numbers {
      guard var open = requests[number] else { continue }
      if clock.now - open.sentAt > Self.timeout, net.chance(0.5) {
        open.reply = .failed(wait: nil)
        open.result = .failure(TransportFailure(.timedOut, "simulated"))
      }
      deliver(process, number, open)
      if process.files.isDead { return }
    }
  }

  private func deliver(_ process: SimulatedProcess, _ number: Int, _ open: OpenRequest) {
    // Messages in the mailbox precede the response and may start requests.
    drain(process)
    guard let result = open.result, let reply = open.reply else { return }
    // An abandoned request may still arrive.
    var rest = open
    rest.isOrphan = true
    requests[number] = open.isOnItsWay ? rest : nil
    process.open.removeAll { $0 == number }
    for place in open.places { expected[place].openRequests -= 1 }
    note(12, "answer \(number) to process \(process.number): \(reply)\(open.isVoid ? ", void" : "")")
    if !isHealing, process.slot == 0, traits.crash > 0, use.chance(0.02) {
      let before = expected.acknowledged
      die(process) { deliver(process, open, reply, result) }
      // The client may not have saved the acknowledgement.
      drops.acknowledgedInCrash += expected.acknowledged - before
      return
    }
    deliver(process, open, reply, result)
  }

  private func deliver(
    _ process: SimulatedProcess, _ open: OpenRequest, _ reply: SimulatedCollector.Reply, _ result: TransportResult
  ) {
    if case .acknowledged = reply {} else { report.statistics.retries += 1 }
    if !open.isVoid { apply(process, open, reply) }
    take(process, [.answered(open.batch, result)])
  }

  /// Applies a response to the expected state and to the timing oracle.
  private func apply(_ process: SimulatedProcess, _ open: OpenRequest, _ reply: SimulatedCollector.Reply) {
    let now = clock.uptime
    if case .failed = reply {} else { process.isAnswered = true }
    if case .failed = reply {
      isFailing = true
    } else if open.places.isEmpty {
      endOutage()
      return process.timing.answeredHealthProbe(now: now)
    } else {
      isFailing = false
      process.hasProbed = false
      isMemoryStale = isDiskLimited
    }
    switch reply {
    case .acknowledged(let rejected):
      let refused = Set(rejected)
      for (index, place) in open.places.enumerated() where !expected[place].isErased {
        expected.acknowledge(place, isRejected: refused.contains(index))
        if !refused.contains(index) { process.delivered += 1 }
      }
      process.timing.acknowledged(started: open.failureGeneration, isProgress: rejected.count < open.places.count)
      endOutage()
    case .refused(let indexes):
      let single = open.places.count == 1 ? [0] : indexes
      for index in single where !expected[open.places[index]].isErased {
        expected.acknowledge(open.places[index], isRejected: true)
      }
      process.timing.refused(singly: single.count, returns: open.places.count > single.count, now: now)
    case .failed(let wait):
      // A failed health probe returns no events.
      process.timing.failed(wait: wait, returns: !open.places.isEmpty, started: open.failureGeneration, now: now)
      if let wait { remember(wait: min(wait, process.timing.rules.longestWait)) }
      // Without a network, the device sends nothing.
      guard open.hasLeft else { return }
      outage.sent += open.bytes
      // At least the bytes in flight were queued.
      let under = process.open.reduce(open.bytes) { $0 + (requests[$1]?.bytes ?? 0) }
      outage.queued = max(
        outage.queued, min(expected.pendingBytes, process.engine.log.counts.bytes + under), open.bytes)
    }
  }

  private func remember(wait: Duration) {
    let until = max(hold?.boot == boot ? hold?.until ?? .zero : .zero, clock.now + wait)
    // If there are two processes, the last one to write wins.
    hold = Hold(until: until, wait: wait, boot: boot, isKept: !isDiskLimited && !traits.hasCompanion)
  }

  private func endOutage() {
    guard outage.sent > 0 else { return }
    report.statistics.outages += 1
    let ratio = Double(outage.sent) / Double(max(outage.queued, 1))
    report.statistics.worstOutage = max(report.statistics.worstOutage, ratio)
    if let limit = options.outageLimit, ratio > limit {
      fail("outage", "\(outage.sent) bytes were wasted while at most \(outage.queued) were queued")
    }
    outage = Outage()
  }

  /// Applies a network change: requests of the old network end soon, or run to their end.
  func abandon(_ process: SimulatedProcess, but newest: Int) {
    for number in process.open.dropLast(newest) {
      guard let open = requests[number], clock.now - open.sentAt > .seconds(1) else { continue }
      cancel(process, open.batch)
    }
  }

  /// Cancels a request; its response may still arrive.
  func cancel(_ process: SimulatedProcess, _ batch: DeliveryMachine.BatchID) {
    guard let number = process.open.first(where: { requests[$0]?.batch == batch }), net.chance(0.5) else { return }
    guard var open = requests[number] else { return }
    if open.isOnItsWay, net.chance(0.5) { open.isOnItsWay = false }
    open.reply = .failed(wait: nil)
    open.result = .failure(TransportFailure(.connection, "cancelled"))
    requests[number] = open
    queue.add(.answer(request: number), at: clock.now + .milliseconds(1))
  }
}
