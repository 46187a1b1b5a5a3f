import Foundation
import Tern
import TernEvents
import TernLog

/// Does what the machine says, in the one task that a client owns.
struct MeasurementLoop {
  private struct OpenRequest {
    var claim: LogClaim
    var isDry: Bool
    var task: Task<Void, Never>?
  }

  private let mailbox: MeasurementMailbox
  private var requests: [DispatchMachine.RequestID: OpenRequest] = [:]
  private var timer: Task<Void, Never>?
  private var storageTimer: Task<Void, Never>?

  init(_ mailbox: MeasurementMailbox) { self.mailbox = mailbox }

  /// Runs until the client is gone or shut down; nothing is left behind when this returns.
  consuming func run(_ stream: AsyncStream<MeasurementClient.Work>) async {
    for await work in stream {
      guard let client = mailbox.client else { break }
      switch work {
      case .trim:
        client.state.withLock { $0.isTrimming = false }
        client.store.trim()
      case .tell(let body): body()
      case .storage(let deadline): setStorageTimer(deadline, client)
      case .action(let action): perform(action, client)
      }
    }
    timer?.cancel()
    storageTimer?.cancel()
    for request in requests.values { request.task?.cancel() }
    await timer?.value
    await storageTimer?.value
    for request in requests.values {
      await request.task?.value
      mailbox.client?.store.log.settle(request.claim.id, .returned)
    }
    mailbox.client?.finishAll()
  }

  private mutating func perform(_ action: DispatchMachine.Action, _ client: MeasurementClient) {
    switch action {
    case .startRequest(let id, let maximumHits, let isDry): start(id, maximumHits, isDry, client)
    case .settle(let id, let fate):
      guard let request = requests.removeValue(forKey: id) else { return }
      client.store.settle(request.claim, fate, isDry: request.isDry)
    case .cancelRequest(let id): requests[id]?.task?.cancel()
    case .call(let call, let result): client.finish(call, result)
    case .setTimer(let deadline): setTimer(deadline, client)
    case .cancelTimer: setTimer(nil, client)
    case .warnOfMissingDestination:
      client.log(
        .warning,
        "Hits wait, since there is no collector to send them to: set GAI.sharedInstance().collector, TernCollector in Info.plist, "
          + "or the environment variable TERN_COLLECTOR to the address of a collector.")
    }
  }

  private mutating func start(
    _ id: DispatchMachine.RequestID, _ maximumHits: Int, _ isDry: Bool, _ client: MeasurementClient
  ) {
    client.state.withLock { client.followOptOut(&$0, isUrgent: true) }
    guard let claim = client.store.claim(maximumHits: maximumHits), let first = claim.records.first else {
      return client.feed(.answered(id, hits: 0, .nothing))
    }
    if isDry {
      requests[id] = OpenRequest(claim: claim, isDry: true)
      for record in claim.records {
        client.log(.info, "Dry run, not sent: \(String(decoding: record.payload, as: UTF8.self))")
      }
      return client.feed(.answered(id, hits: claim.records.count, .delivered))
    }
    guard let request = client.request(for: claim.records) else {
      client.store.log.settle(claim.id, .returned)
      return client.feed(.answered(id, hits: 0, .nothing))
    }
    if request.hits < claim.records.count {
      // Not all fit: what is claimed has to be what is sent, or the machine would count wrong.
      client.store.log.settle(claim.id, .returned)
      return start(id, request.hits, isDry, client)
    }
    requests[id] = OpenRequest(claim: claim, isDry: false, task: send(id, request, first.id, client))
  }

  private func send(
    _ id: DispatchMachine.RequestID, _ request: HitRequest, _ first: UniqueID, _ client: MeasurementClient
  ) -> Task<Void, Never> {
    // The address of a POST may hold a secret.
    let (method, url) = (request.request.method, request.request.url)
    let address = method == .get ? url.absoluteString : url.path
    client.log(.verbose, "Sending hit(s) \(method.rawValue): \(address) (\(request.hits))")
    let (transport, clock, mailbox) = (client.environment.transport, client.environment.clock, mailbox)
    return Task {
      let result = await transport.send(request.request)
      guard let client = mailbox.client else { return }
      client.report(result, hits: request.hits)
      let outcome = DispatchMachine.Outcome(result, first: first, now: clock.wallTime)
      client.feed(.answered(id, hits: request.hits, outcome))
    }
  }

  private mutating func setTimer(_ deadline: Duration?, _ client: MeasurementClient) {
    timer?.cancel()
    timer = nil
    guard let deadline else { return }
    let (clock, mailbox) = (client.environment.clock, mailbox)
    timer = Task {
      await clock.sleep(until: deadline)
      if !Task.isCancelled { mailbox.feed(.timerFired) }
    }
  }

  private mutating func setStorageTimer(_ deadline: Duration?, _ client: MeasurementClient) {
    storageTimer?.cancel()
    storageTimer = nil
    guard let deadline else { return }
    let (clock, mailbox) = (client.environment.clock, mailbox)
    storageTimer = Task {
      await clock.sleep(until: deadline)
      if !Task.isCancelled { mailbox.client?.retryStorage(.time) }
    }
  }
}

extension MeasurementClient {
  fileprivate func request(for records: [LogRecord]) -> HitRequest? {
    let time = QueueTime(wallTime: environment.clock.wallTime, uptime: environment.clock.uptime, boot: boot)
    return state.withLock { $0.destination }.request(
      for: records, at: time, userAgent: userAgent, timeout: configuration.requestTimeout)
  }

  fileprivate func report(_ result: TransportResult, hits: Int) {
    switch result {
    case .response(let response) where (200..<300).contains(response.status):
      log(.verbose, "Hit(s) dispatched: HTTP status \(response.status), \(hits) hit(s) sent")
    case .response(let response):
      log(.warning, "The collector answered \(response.status); the hits are kept.")
    case .failure(let failure): log(.info, "The hits are kept: \(failure.message)")
    }
  }
}
