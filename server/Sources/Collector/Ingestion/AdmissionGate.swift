import NIOConcurrencyHelpers
import ServiceLifecycle

/// The admission of a running collector. Aborts stalled request bodies while the server runs.
final class AdmissionGate: Service {
  private struct State {
    var admission: Admission
    /// Closures that close the connection of each body.
    var cuts: [Int: @Sendable () -> Void] = [:]
  }

  private let state: NIOLockedValueBox<State>
  private let now: @Sendable () -> Duration
  private let interval: Duration

  /// - Parameter now: Returns the time since a fixed moment; the system's monotonic clock by default.
  init(_ limits: Admission.Limits, now: @escaping @Sendable () -> Duration = AdmissionGate.uptime) {
    state = NIOLockedValueBox(State(admission: Admission(limits)))
    self.now = now
    interval = max(limits.progressInterval / 5, .milliseconds(10))
  }

  convenience init(_ limits: CollectorLimits) {
    self.init(
      Admission.Limits(
        maximumBytes: limits.maximumPendingBytes, maximumBytesPerOwner: limits.maximumPendingBytesPerOwner,
        progressInterval: limits.bodyProgressInterval, minimumProgress: limits.minimumBodyProgress))
  }

  private static let start = ContinuousClock.now
  private static let uptime: @Sendable () -> Duration = { .now - start }

  /// The bytes of all requests.
  var bytes: Int { state.withLockedValue { $0.admission.bytes } }

  /// Returns true if a body of `count` bytes would get room now.
  func hasRoom(for count: Int) -> Bool { state.withLockedValue { $0.admission.hasRoom(for: count) } }

  /// Begins a body, which holds no room until its bytes arrive; `nil` when the collector is behind.
  ///
  /// - Parameter cut: Closes the connection when the body has to make room. Called on any thread.
  func begin(declared: Int?, owners: [RequestOwner], cut: @escaping @Sendable () -> Void) -> Reservation? {
    let now = now()
    let ticket = state.withLockedValue { state in
      let ticket = state.admission.begin(declared: declared, owners: owners, at: now)
      if let ticket { state.cuts[ticket] = cut }
      return ticket
    }
    return ticket.map { Reservation(gate: self, ticket: $0) }
  }

  /// Reserves room for bytes that have already arrived; `nil` when the collector is behind.
  func reserve(_ count: Int, owners: [RequestOwner]) -> Reservation? {
    guard let reservation = begin(declared: count, owners: owners, cut: {}) else { return nil }
    reservation.complete()
    return reservation.grow(by: count) ? reservation : nil
  }

  /// Aborts stalled request bodies until the server is asked to stop.
  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: self.interval)
        self.cutSlow()
      }
    }
  }

  /// Closes the connections of stalled bodies.
  func cutSlow() {
    let now = now()
    end(state.withLockedValue { state in state.admission.cutSlow(at: now).compactMap { state.cuts[$0] } })
  }

  private func end(_ cuts: [@Sendable () -> Void]) {
    for cut in cuts { cut() }
  }

  /// The room of one request, released with the last reference.
  final class Reservation: Sendable {
    private let gate: AdmissionGate
    private let ticket: Int
    private let held = NIOLockedValueBox(0)

    fileprivate init(gate: AdmissionGate, ticket: Int) {
      self.gate = gate
      self.ticket = ticket
    }

    deinit {
      gate.state.withLockedValue { state in
        state.admission.release(ticket)
        state.cuts[ticket] = nil
      }
    }

    /// True if the body was cut; its connection is closed.
    var isCut: Bool { gate.state.withLockedValue { !$0.admission.contains(ticket) } }

    /// Takes room for bytes that have arrived; returns false when there is none.
    func grow(by count: Int) -> Bool {
      let now = gate.now()
      let (growth, cuts) = gate.state.withLockedValue { state in
        let growth = state.admission.grow(ticket, by: count, at: now)
        let cut =
          switch growth {
          case .admitted(let cut), .refused(let cut): cut
          }
        return (growth, cut.compactMap { state.cuts[$0] })
      }
      gate.end(cuts)
      guard case .admitted = growth else { return false }
      held.withLockedValue { $0 += count }
      return true
    }

    /// Takes more room for a body that is larger after decompression; returns false when the collector is behind.
    func grow(to count: Int) -> Bool {
      let missing = count - held.withLockedValue { $0 }
      return missing <= 0 || grow(by: missing)
    }

    /// Marks the body as complete.
    func complete() { gate.state.withLockedValue { $0.admission.complete(ticket) } }
  }
}
