import Alerts
import AppCatalog
import Logging
import Outgoing
import ServiceLifecycle
import TernBase
import TernEvents
import Warehouse

/// Evaluates alerts, and sends the messages of alerts and of reports by mail, while the server runs.
struct AlertService: Service {
  /// The time between two evaluations of all alerts.
  static let evaluationInterval: Duration = .seconds(120)
  /// The time between two checks for messages to send.
  static let deliveryInterval: Duration = .seconds(5)
  /// The time for the evaluation of one alert.
  static let deadline: Duration = .seconds(20)

  let catalog: Catalog
  let evaluator: AlertEvaluator
  let delivery: AlertDelivery
  let logger: Logger
  var wallTime: @Sendable () -> Timestamp = WallClock.system
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup { group in
        group.addTask { await evaluate() }
        group.addTask { await deliver() }
      }
    }
  }

  /// Evaluates one alert after the other, because people who wait for reports come first.
  private func evaluate() async {
    // The last failure of each alert, so that the same one is logged only once.
    var failures: [Int64: String] = [:]
    while !Task.isCancelled {
      do {
        for stored in try catalog.alerts() {
          let failure = await failure(of: stored)
          guard !Task.isCancelled else { return }
          if let failure {
            if failures[stored.alert.id] != failure {
              logger.error("The alert \(stored.alert.id) can't be evaluated: \(failure)")
            }
            // Throws only if the catalog can't be written to, which is logged already.
            _ = try? await evaluator.fail(stored, reason: failure, now: wallTime())
          }
          failures[stored.alert.id] = failure
        }
      } catch {
        logger.error("The alerts can't be read from the catalog: \(error)")
      }
      try? await sleep(Self.evaluationInterval)
    }
  }

  private func failure(of stored: StoredAlert) async -> String? {
    do {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          try await evaluator.evaluate(stored, now: wallTime())
          return true
        }
        group.addTask { [sleep] in
          try await sleep(Self.deadline)
          return false
        }
        guard try await group.next() ?? true else {
          throw ServerFailure(
            "Its question takes longer than \(Self.deadline.components.seconds) seconds. Use fewer filters.")
        }
      }
      return nil
    } catch {
      return ServerFailure.reason(of: error)
    }
  }

  /// Looks for messages to send again and again. A pass that waits for a receiver doesn't hold up the next one.
  private func deliver() async {
    let running = Locked(0)
    // Shared by all passes, so that the same failure is logged only once.
    let lastFailure = Locked<String?>(nil)
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        if running.withLock({ $0 }) < OutgoingClient.maximumConcurrent {
          running.withLock { $0 += 1 }
          group.addTask {
            await deliverDue(lastFailure)
            running.withLock { $0 -= 1 }
          }
        }
        try? await sleep(Self.deliveryInterval)
      }
    }
  }

  private func deliverDue(_ lastFailure: Locked<String?>) async {
    do {
      try await delivery.deliverDue(now: wallTime)
      lastFailure.withLock { $0 = nil }
    } catch {
      let failure = "\(error)"
      let isNew = lastFailure.withLock { last in
        defer { last = failure }
        return last != failure
      }
      if isNew, !Task.isCancelled { logger.error("Notifications can't be sent: \(failure)") }
    }
  }
}
