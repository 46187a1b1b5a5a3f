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
  enum Drain: Sendable {
    case periodic, manual
  }

  package internal(set) var isEnabled = true
  package internal(set) var isPaused = false
  /// The interval of periodic dispatch.
  var interval: Duration = .seconds(120)
  /// True while periodic dispatch is on.
  package internal(set) var isArmed = true
  var nextTick: Duration?
  /// The deadline of the timer.
  var timer: Duration?
  var inFlight: Request?
  var lastRequest = 0
  var drain: Drain?
  /// Calls waiting for a request of their own.
  var calls: [FlushID] = []
  /// Calls waiting for the end of the drain.
  var drainCalls: [FlushID] = []
  var failures = 0
  /// The end of a pause of periodic dispatch; `isServers` is true if it comes from `Retry-After`.
  var hold: (until: Duration, isServers: Bool)?
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
    if isArmed, nextTick == nil { nextTick = now + interval }
    if timer == nil { skipPassedTicks(now) }
    switch input {
    case .launched, .appended, .erased, .enteredBackground, .enteredForeground: break
    case .flushInterval(let interval?):
      self.interval = interval
      isArmed = true
      nextTick = now + interval
    case .flushInterval(nil): disarm(&actions)
    case .timerFired: tick(waiting, now)
    case .flushRequested(let call):
      drain = .manual
      drainCalls.append(call)
    case .batchRequested(let call):
      disarm(&actions)
      calls.append(call)
    case .flushAbandoned(let call):
      calls.removeAll { $0 == call }
      drainCalls.removeAll { $0 == call }
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
