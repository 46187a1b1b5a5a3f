import NIOConcurrencyHelpers
import ServiceLifecycle

/// The admission of a running collector; runs beside the server to cut bodies that do not get on.
final class AdmissionGate: Service {
  private struct State {
    var admission: Admission
    /// How to end the connection that brings a body.
    var cuts: [Int: @Sendable () -> Void] = [:]
  }

  private let state: NIOLockedValueBox<State>
  private let now: @Sendable () -> Duration
  private let interval: Duration

  /// - Parameter now: the time since some fixed moment; the system's monotonic clock by default.
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

  /// Bytes that all requests hold.
  var bytes: Int { state.withLockedValue { $0.admission.bytes } }

  /// Whether a body of so many bytes would get room now.
  func hasRoom(for count: Int) -> Bool { state.withLockedValue { $0.admission.hasRoom(for: count) } }

  /// Begins a body, which holds nothing until its bytes arrive; `nil` when the collector is behind.
  ///
  /// - Parameter cut: ends the connection when the body has to give way. Called on any thread.
  func begin(declared: Int?, owners: [RequestOwner], cut: @escaping @Sendable () -> Void) -> Reservation? {
    let now = now()
    let ticket = state.withLockedValue { state in
      let ticket = state.admission.begin(declared: declared, owners: owners, at: now)
      if let ticket { state.cuts[ticket] = cut }
      return ticket
    }
    return ticket.map { Reservation(gate: self, ticket: $0) }
  }

  /// Reserves room for what has arrived already; `nil` when the collector is behind.
  func reserve(_ count: Int, owners: [RequestOwner]) -> Reservation? {
    guard let reservation = begin(declared: count, owners: owners, cut: {}) else { return nil }
    reservation.complete()
    return reservation.grow(by: count) ? reservation : nil
  }

  /// Looks after the bodies that are on their way until the server is asked to stop.
  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: self.interval)
        self.cutSlow()
      }
    }
  }

  /// Ends the connections of bodies that do not get on.
  func cutSlow() {
    let now = now()
    end(state.withLockedValue { state in state.admission.cutSlow(at: now).compactMap { state.cuts[$0] } })
  }

  private func end(_ cuts: [@Sendable () -> Void]) {
    for cut in cuts { cut() }
  }

  /// Room held by one request; given back when the last reference to it goes.
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

    /// Whether the body had to give way: its connection is closed.
    var isCut: Bool { gate.state.withLockedValue { !$0.admission.contains(ticket) } }

    /// Takes room for bytes that have arrived; `false` when there is none.
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

    /// Takes more room when a body turns out larger than it was sent, which compression allows; `false` when the
    /// collector is behind.
    func grow(to count: Int) -> Bool {
      let missing = count - held.withLockedValue { $0 }
      return missing <= 0 || grow(by: missing)
    }

    /// All of the body has arrived.
    func complete() { gate.state.withLockedValue { $0.admission.complete(ticket) } }
  }
}
