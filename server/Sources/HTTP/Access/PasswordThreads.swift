import Hummingbird
import Threads
import Warehouse

/// The threads on which passwords are checked and set, two at a time. Reports and requests of apps never wait for them.
package struct PasswordThreads: Sendable {
  /// The number of checks for one client that may wait.
  static let maximumWaiting = 4
  /// The number of all checks that may wait: two threads do as many in about six seconds.
  static let maximumTotal = 64

  private let threads = ThreadPool<RequestOwner>(
    .passwords, limits: FairQueueLimits(runningPerOwner: 1, waiting: maximumTotal, waitingPerOwner: maximumWaiting))

  /// Runs `work` when it is its client's turn; throws ``APIError`` 503 if too many checks are waiting.
  package func run<Value: Sendable>(
    for client: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    // A thread outside of tasks doesn't have the values of this one.
    let actor = AuditActor.current
    do {
      return try await threads.run(for: [.client(client)]) { try AuditActor.$current.withValue(actor) { try work() } }
    } catch ThreadPoolRefusal.full {
      throw APIError(
        status: .serviceUnavailable, code: "too_many_logins",
        message: "Too many logins are being checked. Try again in a few seconds.",
        headers: [.retryAfter: "5"])
    }
  }
}
