package import TernDelivery
package import TernEvents

/// Decides when to send hits, like the Google Analytics SDK for iOS v3; see docs/google-analytics.md for its rules.
package struct DispatchMachine: SendingMachine {
  /// The maximum number of hits per request.
  package static let maximumHits = 20
  /// The pause after the first failure, doubled with each further one.
  package static let firstPause: Duration = .seconds(60)
  /// The longest pause.
  package static let longestPause: Duration = .seconds(30 * 60)

  struct Request: Sendable {
    var id: BatchID
    /// The call that requested a single dispatch, if any.
    var call: FlushID?
    var hits = 0
    var first: UniqueID?
  }

  /// The trigger for sending all waiting hits.
  enum Drain: Equatable, Sendable {
    case periodic
    /// Requested by these calls, which wait for its end.
    case manual([FlushID])
  }

  /// The ticks of periodic dispatch.
  struct Ticks: Sendable {
    var interval: Duration
    /// The next tick; `nil` until the first input.
    var next: Duration?
  }

  /// A pause of periodic dispatch after consecutive failures.
  struct Hold: Sendable {
    var failures: Int
    var until: Duration
    /// True if it comes from `Retry-After`, which a network change does not end.
    var isServers: Bool
  }

  package internal(set) var isEnabled = true
  package internal(set) var isPaused = false
  /// The ticks of periodic dispatch; `nil` while it is off.
  var ticks: Ticks? = Ticks(interval: .seconds(120))
  /// True while periodic dispatch is on.
  package var isArmed: Bool { ticks != nil }
  /// The deadline of the timer.
  var timer: Duration?
  var inFlight: Request?
  var lastRequest = 0
  var drain: Drain?
  /// Calls waiting for a request of their own.
  var calls: [FlushID] = []
  var hold: Hold?
  /// Lowered while a refused request is searched for the faulty hit.
  var batchLimit = DispatchMachine.maximumHits
  /// A hit that was refused once in a request of its own.
  var suspect: UniqueID?
  var generator: FastGenerator

  /// Creates a machine with periodic dispatch every 120 s from its first input.
  package init(generator: FastGenerator) {
    self.generator = generator
  }

  package mutating func handle(_ input: MachineInput, waiting events: WaitingEvents, now: Duration) -> [MachineAction] {
    var actions: [MachineAction] = []
    let waiting = events.total
    if let ticks, ticks.next == nil { self.ticks?.next = now + ticks.interval }
    if timer == nil { skipPassedTicks(now) }
    switch input {
    case .launched, .appended, .erased, .enteredBackground, .enteredForeground: break
    case .flushInterval(let interval?):
      ticks = Ticks(interval: interval, next: now + interval)
    case .flushInterval(nil): disarm(&actions)
    case .timerFired: tick(waiting, now)
    case .flushRequested(let call):
      drain = .manual(drainCalls + [call])
    case .batchRequested(let call):
      disarm(&actions)
      calls.append(call)
    case .flushAbandoned(let call):
      calls.removeAll { $0 == call }
      if drainCalls.contains(call) { drain = .manual(drainCalls.filter { $0 != call }) }
      if inFlight?.call == call { inFlight?.call = nil }
    case .batchStarted(let id, let events, _, let first):
      guard inFlight?.id == id else { break }
      inFlight?.hits = events.total
      inFlight?.first = first
    case .nothingToClaim(let id):
      guard let request = takeRequest(id) else { break }
      endDrain(.nothingToSend, &actions)
      finish(request, .nothingToSend, &actions)
    // Start the next request only after the owner has settled the hits: the counts may include them then.
    case .requestEnded(let id, let outcome): return requestEnded(id, outcome, now)
    case .batchSettled: break
    case .networkAvailable: networkAvailable(waiting, now)
    case .paused: isPaused = true
    case .resumed: isPaused = false
    case .enabled: isEnabled = true
    case .disabled:
      isEnabled = false
      abandonEverything(&actions)
    }
    proceed(waiting, &actions)
    schedule(waiting, now, &actions)
    return actions
  }
}
