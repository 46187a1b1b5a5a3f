import TernBase
package import TernEvents

/// The requests that have been received but neither stored nor rejected, with their times of arrival.
///
/// A day of a view stays open while a request that arrived before its cutoff is pending, however long storing takes.
package final class PendingRequests: Sendable {
  private struct State {
    var times: [UInt64: Timestamp] = [:]
    var last: UInt64 = 0
  }

  private let state = Locked(State())

  /// Creates an empty collection.
  package init() {}

  /// Registers a request that has arrived. It is pending until ``PendingRequest/end()``.
  ///
  /// - Parameter now: Reads the wall clock. The reading and the registration are one atomic step for ``oldest``.
  package func begin(_ now: () -> Timestamp) -> PendingRequest {
    state.withLock { state in
      let time = now()
      state.last += 1
      state.times[state.last] = time
      return PendingRequest(time: time, number: state.last, requests: self)
    }
  }

  /// The arrival of the oldest pending request; `nil` when there is none.
  package var oldest: Timestamp? {
    state.withLock { $0.times.values.min { $0.millisecondsSince1970 < $1.millisecondsSince1970 } }
  }

  fileprivate func end(_ number: UInt64) { state.withLock { _ = $0.times.removeValue(forKey: number) } }
}

/// One request among ``PendingRequests``.
package struct PendingRequest: Sendable {
  /// The time of arrival by the server's clock.
  package let time: Timestamp
  fileprivate let number: UInt64
  fileprivate let requests: PendingRequests

  /// Marks the request as stored or rejected. Further calls have no effect.
  package func end() { requests.end(number) }
}
