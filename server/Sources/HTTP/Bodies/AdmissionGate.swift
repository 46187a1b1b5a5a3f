import ServiceLifecycle
import TernBase
import Warehouse

/// The admission of a running collector. Aborts stalled request bodies while the server runs.
package final class AdmissionGate: Service {
  private struct State {
    var admission: Admission
    /// Closures that close the connection of each body.
    var aborts: [Int: @Sendable () -> Void] = [:]
  }

  private let state: Locked<State>
  private let now: @Sendable () -> Duration
  private let interval: Duration

  /// - Parameter now: Returns the time since a fixed moment; the system's monotonic clock by default.
  package init(_ limits: Admission.Limits, now: @escaping @Sendable () -> Duration = Clocks.systemUptime) {
    state = Locked(State(admission: Admission(limits)))
    self.now = now
    interval = max(limits.progressInterval / 5, .milliseconds(10))
  }

  package convenience init(_ limits: CollectorLimits) {
    self.init(
      Admission.Limits(
        maximumBytes: limits.maximumPendingBytes, maximumBytesPerOwner: limits.maximumPendingBytesPerOwner,
        progressInterval: limits.bodyProgressInterval, minimumProgress: limits.minimumBodyProgress))
  }

  /// The bytes of all requests.
  package var bytes: Int { state.withLock { $0.admission.bytes } }

  /// Returns true if a body of `count` bytes would be admitted now.
  package func hasRoom(for count: Int) -> Bool { state.withLock { $0.admission.hasRoom(for: count) } }

  /// Begins a body, which takes up room as its bytes arrive; returns `nil` if the collector is behind.
  ///
  /// - Parameter abort: Closes the connection if the body is aborted. Called on any thread.
  package func begin(declared: Int?, owners: [RequestOwner], abort: @escaping @Sendable () -> Void) -> Reservation? {
    let now = now()
    let ticket = state.withLock { state in
      let ticket = state.admission.begin(declared: declared, owners: owners, at: now)
      if let ticket { state.aborts[ticket] = abort }
      return ticket
    }
    return ticket.map { Reservation(gate: self, ticket: $0) }
  }

  /// Reserves room for bytes that have already arrived; returns `nil` if the collector is behind.
  package func reserve(_ count: Int, owners: [RequestOwner]) -> Reservation? {
    guard let reservation = begin(declared: count, owners: owners, abort: {}) else { return nil }
    reservation.complete()
    return reservation.grow(by: count) ? reservation : nil
  }

  /// Aborts stalled request bodies until the server is asked to stop.
  package func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: self.interval)
        self.abortStalled()
      }
    }
  }

  /// Closes the connections of stalled bodies.
  func abortStalled() {
    let now = now()
    end(state.withLock { state in state.admission.abortStalled(at: now).compactMap { state.aborts[$0] } })
  }

  private func end(_ aborts: [@Sendable () -> Void]) {
    for abort in aborts { abort() }
  }

  /// The room of one request, released with the last reference.
  package final class Reservation: Sendable {
    private let gate: AdmissionGate
    private let ticket: Int
    private let held = Locked(0)

    fileprivate init(gate: AdmissionGate, ticket: Int) {
      self.gate = gate
      self.ticket = ticket
    }

    deinit {
      gate.state.withLock { state in
        state.admission.release(ticket)
        state.aborts[ticket] = nil
      }
    }

    /// True if the body was aborted; its connection is closed.
    var isAborted: Bool { gate.state.withLock { !$0.admission.contains(ticket) } }

    /// Reserves room for bytes that have arrived; returns false if there is none.
    package func grow(by count: Int) -> Bool {
      let now = gate.now()
      let (growth, aborts) = gate.state.withLock { state in
        let growth = state.admission.grow(ticket, by: count, at: now)
        let aborted =
          switch growth {
          case .admitted(let aborted), .refused(let aborted): aborted
          }
        return (growth, aborted.compactMap { state.aborts[$0] })
      }
      gate.end(aborts)
      guard case .admitted = growth else { return false }
      held.withLock { $0 += count }
      return true
    }

    /// Reserves more room for a body that is larger after decompression; returns false if the collector is behind.
    package func grow(to count: Int) -> Bool {
      let missing = count - held.withLock { $0 }
      return missing <= 0 || grow(by: missing)
    }

    /// Marks the body as complete.
    package func complete() { gate.state.withLock { $0.admission.complete(ticket) } }
  }
}
