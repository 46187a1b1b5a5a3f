import BenchSupport
import Foundation
import Tern
import TernBase

/// A collector in this process that accepts everything at once, so that only the client is measured.
final class AcceptingTransport: Transport, @unchecked Sendable {
  // Unchecked, because the lock guards everything below.
  private let lock = NSLock()
  private var times: [Int64] = []
  private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  func send(_ request: TransportRequest) async -> TransportResult {
    let waiter = lock.withLock { () -> CheckedContinuation<Void, Never>? in
      times.append(monotonicNanoseconds())
      guard let (count, continuation) = self.waiter, times.count > count else { return nil }
      self.waiter = nil
      return continuation
    }
    waiter?.resume()
    // The client reports the number of events in flight; with one batch at a time, that is the size of the batch.
    let count = request.headers["Tern-Ledger"].flatMap(Self.inFlight) ?? 0
    return .response(TransportResponse(status: 200, body: Array("{\"accepted\":\(count)}".utf8)))
  }

  private static func inFlight(_ ledger: String) -> Int? {
    ledger.split(separator: ";").first { $0.contains("in-flight=") }.flatMap { Int($0.filter(\.isNumber)) }
  }

  /// The times between one request and the next, in nanoseconds.
  var gaps: [Int64] { lock.withLock { zip(times.dropFirst(), times).map { $0 - $1 } } }

  /// Waits until more than the given number of requests have arrived.
  func sent(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = lock.withLock {
        if times.count <= count { waiter = (count, continuation) }
        return times.count > count
      }
      if isThere { continuation.resume() }
    }
  }
}
