package import TernEvents

/// Decides when hits are sent, as the Google Analytics SDK for iOS v3 did (docs/google-analytics.md has the table).
///
/// A value that reads no clock and does nothing itself: each input brings the time (uptime) and the number of hits that
/// wait in the queue, each call returns what is to be done, in order.
package struct DispatchMachine: Sendable {
  /// Names one request.
  package struct RequestID: Hashable, Sendable {
    package let number: Int
  }

  /// Names one call that waits for a result.
  package struct CallID: Hashable, Sendable {
    package let number: Int
    package init(number: Int) { self.number = number }
  }

  /// What a call is told at its end.
  package enum Result: Hashable, Sendable {
    /// Nothing to send, or no network.
    case noData
    /// A request arrived.
    case good
    /// A request failed.
    case error
  }

  /// Something that happened.
  package enum Input: Hashable, Sendable {
    /// The process started.
    case launched
    /// The app assigned the interval, the same value perhaps.
    case intervalSet(seconds: Double)
    /// A hit was stored.
    case appended
    /// The time that was asked for has come.
    case timerFired
    /// Send all that waits.
    case dispatch
    /// The same, and say when it is over.
    case dispatchAll(CallID)
    /// Send one request and say what came of it; periodic dispatch ends.
    case dispatchOnce(CallID)
    /// A request is over; `hits` is how many it carried.
    case answered(RequestID, hits: Int, Outcome)
    /// The network came back or changed.
    case networkAvailable
    /// The app opted out, or in again; the queue is empty then.
    case optOutSet(Bool)
    /// Whether hits are only pretended to be sent.
    case dryRunSet(Bool)
    /// Whether there is an address to send to.
    case destinationSet(Bool)
  }

  /// What came of a request.
  package enum Outcome: Hashable, Sendable {
    /// The server has the hits.
    case delivered
    /// The queue had nothing to claim after all.
    case nothing
    /// There was no network: nothing was sent.
    case offline
    /// No answer, or one that says to try again, after the given time if it said so.
    case failed(retryAfter: Duration?)
    /// The server will not take it; `first` is the oldest hit in it.
    case refused(first: UniqueID)
  }

  /// What becomes of the hits of a request.
  package enum Fate: Hashable, Sendable {
    /// They leave the queue.
    case delivered
    /// They go back in place.
    case returned
    /// They leave the queue and are counted as rejected.
    case rejected
  }

  /// Something to be done.
  package enum Action: Hashable, Sendable {
    /// Take hits from the queue and send them; when `isDry`, take them only.
    case startRequest(RequestID, maximumHits: Int, isDry: Bool)
    /// Say to the queue what became of a request's hits.
    case settle(RequestID, Fate)
    /// Nobody wants the answer any more; it has to be told all the same.
    case cancelRequest(RequestID)
    /// Tell a call its result.
    case call(CallID, Result)
    /// Replace the timer.
    case setTimer(Duration)
    /// There is nothing to wait for.
    case cancelTimer
    /// Hits wait, and nobody said where to send them.
    case warnOfMissingDestination
  }

  /// The most hits that one request carries.
  package static let maximumHits = 20
  /// The pause after the first failure; doubled with each further one.
  package static let firstPause: Duration = .seconds(60)
  /// The longest pause.
  package static let longestPause: Duration = .seconds(30 * 60)
  /// The longest wait that a server can ask for.
  package static let longestRetryAfter: Duration = .seconds(86_400)

  struct Request: Sendable {
    var id: RequestID
    var call: CallID?
  }

  /// Who wants everything to be sent.
  enum Drain: Sendable {
    case periodic, manual
  }

  /// The last assigned interval in seconds, whether it turned periodic dispatch on or off.
  package internal(set) var interval: Double
  /// Whether periodic dispatch is on.
  package internal(set) var isArmed = false
  var nextTick: Duration = .zero
  /// What the timer is set to.
  var timer: Duration?
  var inFlight: Request?
  var lastRequest = 0
  var drain: Drain?
  /// Calls that wait for their own request.
  var calls: [CallID] = []
  /// Calls that wait for the drain.
  var drainCalls: [CallID] = []
  var failures = 0
  /// Until when periodic dispatch rests, and whether the server asked for it.
  var hold: (until: Duration, isServers: Bool)?
  /// Smaller than the maximum while a refused request is looked through for the hit to blame.
  var batchLimit = DispatchMachine.maximumHits
  /// The hit that was refused once while it stood alone.
  var suspect: UniqueID?
  var isOptedOut: Bool
  var isDryRun = false
  var hasDestination: Bool
  var hasWarned = false
  var generator: FastGenerator

  /// Creates a machine that has sent nothing yet; feed it `launched` first.
  package init(
    intervalSeconds: Double = 120, isOptedOut: Bool = false, hasDestination: Bool = true, generator: FastGenerator
  ) {
    interval = intervalSeconds
    self.isOptedOut = isOptedOut
    self.hasDestination = hasDestination
    self.generator = generator
  }

  /// Takes in what happened and says what to do about it.
  ///
  /// `waiting` counts the hits that no request holds.
  package mutating func handle(_ input: Input, waiting: Int, now: Duration) -> [Action] {
    var actions: [Action] = []
    var waiting = waiting
    if timer == nil { skipPassedTicks(now) }
    switch input {
    case .launched: setInterval(interval, now, &actions)
    case .intervalSet(let seconds): setInterval(seconds, now, &actions)
    case .appended: break
    case .timerFired: tick(waiting, now)
    case .dispatch: drain = .manual
    case .dispatchAll(let call):
      drain = .manual
      drainCalls.append(call)
    case .dispatchOnce(let call):
      disarm(&actions)
      calls.append(call)
    case .answered(let id, let hits, let outcome):
      if answered(id, hits, outcome, now, &actions) == .returned { waiting += hits }
    case .networkAvailable: networkAvailable(waiting, now)
    case .optOutSet(let isOptedOut):
      self.isOptedOut = isOptedOut
      if isOptedOut { abandonEverything(&actions) }
    case .dryRunSet(let isDryRun): self.isDryRun = isDryRun
    case .destinationSet(let hasDestination): self.hasDestination = hasDestination
    }
    proceed(waiting, &actions)
    schedule(waiting, now, &actions)
    return actions
  }
}
