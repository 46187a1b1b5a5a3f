import Alerts
import AppCatalog
import Outgoing
import TernBase
import TernEvents
import Warehouse

/// Evaluates alerts, and stores each one's new state together with the messages to send.
struct AlertEvaluator: Sendable {
  /// Observes what an alert is about; `nil` if there is nothing to decide on.
  typealias Observe = @Sendable (Alert, AlertState, _ now: Timestamp) async throws -> AlertObservation?

  let catalog: Catalog
  let observe: Observe
  /// Makes identifiers of messages.
  let newID: @Sendable (Timestamp) -> UniqueID
  /// The address of the portal in links; `nil` if unknown.
  let portal: @Sendable () -> String?

  /// Evaluates one alert, and returns the number of messages that follow.
  ///
  /// A crash before the transaction changes nothing: the next evaluation observes the same. A crash after it leaves the
  /// messages pending.
  @discardableResult
  func evaluate(_ stored: StoredAlert, now: Timestamp) async throws -> Int {
    let alert = stored.alert
    guard !alert.isMuted(at: now), let observation = try await observe(alert, stored.state, now) else { return 0 }
    var machine = AlertMachine(alert, stored.state)
    let events = machine.handle(observation, now: now)
    let app = try alert.app.flatMap { try catalog.app($0)?.name }
    let messages = events.map {
      AlertMessage.make($0, of: alert, app: app, id: newID(now), at: now, portal: portal())
    }
    return try catalog.store(machine.state, of: stored, messages: messages) ? messages.count : 0
  }
}

/// Sends the messages that are due, and stores the outcomes.
struct AlertDelivery: Sendable {
  /// The most messages of one pass; the others follow in the next.
  static let maximumMessages = 50
  /// The most messages that are sent at the same time.
  private static let maximumConcurrent = 2

  let catalog: Catalog
  let send: @Sendable (OutgoingMessage, Destination) async throws(OutgoingError) -> String
  /// The address of the portal in links; `nil` if unknown.
  var portal: @Sendable () -> String? = { nil }
  /// The answers to messages that have arrived, while the catalog can't be written, as on a full disk: they must not be sent
  /// again every few seconds.
  private let arrived = Locked<[Int64: String]>([:])

  init(
    catalog: Catalog, send: @escaping @Sendable (OutgoingMessage, Destination) async throws(OutgoingError) -> String,
    portal: @escaping @Sendable () -> String? = { nil }
  ) {
    (self.catalog, self.send, self.portal) = (catalog, send, portal)
  }

  /// Sends the messages that are due. After a crash between sending and storing, the message is sent again with the
  /// same identifier.
  func deliverDue(now: @escaping @Sendable () -> Timestamp) async throws {
    let due = try catalog.dueDeliveries(now: now(), limit: Self.maximumMessages)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, delivery) in due.enumerated() {
        if index >= Self.maximumConcurrent { try await group.next() }
        group.addTask { try await deliver(delivery, now) }
      }
      try await group.waitForAll()
    }
  }

  private func deliver(_ delivery: PendingDelivery, _ now: @Sendable () -> Timestamp) async throws {
    if let answer = arrived.withLock({ $0[delivery.id] }) { return try finish(delivery, answer) }
    let answer: String
    do throws(OutgoingError) {
      var message = delivery.message
      message.unsubscribeLink = delivery.unsubscribeToken.flatMap { token in
        portal().map { "\($0)/unsubscribe/\(token)" }
      }
      answer = try await send(message, delivery.destination)
    } catch {
      // The server is stopping; that isn't a failure of the receiver.
      guard error.code != .cancelled else { return }
      var generator = SystemRandomNumberGenerator()
      let next =
        error.isFinal
        ? nil
        : DeliverySchedule.next(
          after: delivery.failures + 1, created: delivery.message.time, now: now(), using: &generator)
      return try catalog.failDelivery(delivery.id, answer: error.message, next: next)
    }
    try finish(delivery, answer)
  }

  private func finish(_ delivery: PendingDelivery, _ answer: String) throws {
    arrived.withLock { $0[delivery.id] = answer }
    try catalog.finishDelivery(delivery.id, answer: answer)
    arrived.withLock { $0[delivery.id] = nil }
  }
}
