import Alerts
import AppCatalog
import HTTP
import Outgoing
import TernBase
import TernEvents

/// Sends the messages that are due, and stores the outcomes.
struct AlertDelivery: Sendable {
  let catalog: Catalog
  let send: @Sendable (OutgoingMessage, Destination) async throws(OutgoingError) -> String
  /// The address of the portal in links; `nil` if unknown.
  var portal: @Sendable () -> String? = { nil }
  /// The outcomes of attempts.
  let status: Locked<DeliveryStatus>
  /// The answers to messages that have arrived, while the catalog can't be written, as on a full disk: they must not be sent
  /// again every few seconds.
  private let arrived = Locked<[Int64: String]>([:])
  private let receivers = BusyReceivers()

  init(
    catalog: Catalog, send: @escaping @Sendable (OutgoingMessage, Destination) async throws(OutgoingError) -> String,
    portal: @escaping @Sendable () -> String? = { nil },
    status: Locked<DeliveryStatus> = Locked(DeliveryStatus(kinds: Destination.kinds))
  ) {
    (self.catalog, self.send, self.portal, self.status) = (catalog, send, portal, status)
  }

  /// Sends the messages that are due, one after the other. Several calls can run at the same time. After a crash between
  /// sending and storing, the message is sent again with the same identifier.
  func deliverDue(now: @escaping @Sendable () -> Timestamp) async throws {
    var tried: Set<Int64> = []
    while !Task.isCancelled, let delivery = try await receivers.next(in: catalog, now: now(), except: tried) {
      tried.insert(delivery.id)
      do {
        try await deliver(delivery, now)
      } catch {
        await receivers.release(delivery)
        throw error
      }
      await receivers.release(delivery)
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
        error.isFinal || delivery.message.event == OutgoingMessage.testEvent
        ? nil
        : DeliverySchedule.next(
          after: delivery.failures + 1, created: delivery.message.time, now: now(), using: &generator)
      count(delivery, next == nil ? .givenUp : .failed)
      return try catalog.failDelivery(delivery.id, answer: error.message, next: next)
    }
    count(delivery, .delivered)
    try finish(delivery, answer)
  }

  private func count(_ delivery: PendingDelivery, _ outcome: DeliveryStatus.Outcome) {
    status.withLock { $0.count(delivery.destination.kind, outcome) }
  }

  private func finish(_ delivery: PendingDelivery, _ answer: String) throws {
    arrived.withLock { $0[delivery.id] = answer }
    try catalog.finishDelivery(delivery.id, answer: answer)
    arrived.withLock { $0[delivery.id] = nil }
  }
}

/// The receivers that are being sent messages. Chooses the next message for one that has room.
private actor BusyReceivers {
  private var counts: [String: Int] = [:]
  private var underway: Set<Int64> = []

  /// Returns the next message, read at this moment: its alert may have been deleted a moment ago.
  func next(in catalog: Catalog, now: Timestamp, except tried: Set<Int64>) throws -> PendingDelivery? {
    let due = try catalog.dueDeliveries(now: now, limit: 1) { id, destination in
      !tried.contains(id) && !underway.contains(id)
        && counts[destination.receiver.name, default: 0] < destination.receiver.maximumConcurrent
    }
    guard let delivery = due.first else { return nil }
    counts[delivery.destination.receiver.name, default: 0] += 1
    underway.insert(delivery.id)
    return delivery
  }

  func release(_ delivery: PendingDelivery) {
    counts[delivery.destination.receiver.name, default: 1] -= 1
    underway.remove(delivery.id)
  }
}
