package import TernEvents

/// When to send what: every knob of the machine, so that each client library is a setting and not a second engine.
package struct Policy: Sendable, Equatable {
  /// The most events one batch carries.
  package var batchEvents: Int
  /// The most bytes of events one batch carries, before compression.
  package var batchBytes: Int
  /// How many waiting events start a delivery at once; `nil`: their number never does.
  package var flushAt: Int?
  /// How long after the first unsent event a delivery starts; `nil`: time never starts one.
  package var flushInterval: Duration?
  /// How long after the first unsent critical event a delivery starts; `nil`: as for any other event.
  package var criticalFlushInterval: Duration?
  /// The most batches under way at a time.
  package var maximumInFlight: Int
  /// How long to wait after a failure.
  package var retry: Retry
  /// The longest wait a server can ask for; a longer one is cut to this.
  package var maximumRetryAfter: Duration
  /// The most events in the single batch that tries whether a failing server is back; halved with each failure.
  package var probeEvents: Int
  /// After how many failures in a row the server is asked with an empty batch before events are sent to it, over
  /// relaunches too; `nil`: never, since the protocol knows no empty batch.
  package var asksAfterFailures: Int?
  /// Whether a launch asks first when the one before has sent events and got no answer but failures; for policies that do
  /// not ask otherwise.
  package var asksAfterLaunch: Bool
  /// How many questions may be answered by anything but a collector before one event is sent all the same, since the
  /// question itself may be what is not let through; more with each that does not arrive.
  package var questionsBeforeProbe: Int
  /// How many events in a row a server may refuse for good before each further one costs a pause: a server that
  /// refuses everything is broken, and must not empty the queue.
  package var rejectionsBeforePause: Int
  /// Whether going to the background starts a delivery, since the process may be suspended soon.
  package var sendsOnBackground: Bool
  /// Whether critical events that are due leave normal ones behind, which keep their own time.
  package var sendsCriticalAlone: Bool
  /// Whether each batch that failed keeps its events and is tried again in a time of its own; when one has used up its
  /// retries, all rest. Otherwise batches that fail go back to the queue and wait together.
  package var retriesEachBatch: Bool

  /// Creates a policy; the defaults are Tern's own. Numbers below one are raised to one, negative times to zero.
  package init(
    batchEvents: Int = 500, batchBytes: Int = 512 << 10, flushAt: Int? = 50, flushInterval: Duration? = .seconds(6),
    criticalFlushInterval: Duration? = .zero, maximumInFlight: Int = 3,
    retry: Retry = .unlimited(first: .seconds(2), ceiling: .seconds(30 * 60)),
    maximumRetryAfter: Duration = .seconds(86_400), probeEvents: Int = 50, asksAfterFailures: Int? = 2,
    asksAfterLaunch: Bool = false, questionsBeforeProbe: Int = 3, rejectionsBeforePause: Int = 8,
    sendsOnBackground: Bool = true,
    sendsCriticalAlone: Bool = false, retriesEachBatch: Bool = false
  ) {
    self.batchEvents = max(batchEvents, 1)
    self.batchBytes = max(batchBytes, 1)
    self.flushAt = flushAt.map { max($0, 1) }
    self.flushInterval = flushInterval.map { max($0, .zero) }
    self.criticalFlushInterval = criticalFlushInterval.map { max($0, .zero) }
    self.maximumInFlight = max(maximumInFlight, 1)
    self.retry = retry
    self.maximumRetryAfter = max(maximumRetryAfter, .zero)
    self.probeEvents = max(probeEvents, 1)
    self.asksAfterFailures = asksAfterFailures.map { max($0, 1) }
    self.asksAfterLaunch = asksAfterLaunch
    self.questionsBeforeProbe = max(questionsBeforeProbe, 1)
    self.rejectionsBeforePause = max(rejectionsBeforePause, 1)
    self.sendsOnBackground = sendsOnBackground
    self.sendsCriticalAlone = sendsCriticalAlone
    self.retriesEachBatch = retriesEachBatch
  }
}

extension Policy {
  /// How long to wait after a failure.
  package enum Retry: Sendable, Equatable {
    /// Full jitter: a random wait from zero to `first`, doubled after each further failure up to `ceiling`; never
    /// gives up.
    case unlimited(first: Duration, ceiling: Duration)
    /// A random wait within one range for each retry; when they are used up, rests until the network comes back or
    /// the process starts again.
    case limited([ClosedRange<Duration>])

    /// The wait after the given number of failures in a row; `nil` when the retries are used up.
    package func delay(afterFailures failures: Int, using generator: inout FastGenerator) -> Duration? {
      switch self {
      case .unlimited(let first, let ceiling):
        // 2^20 times any sensible `first` is beyond any ceiling: stop doubling before the product can overflow.
        let longest = min(max(ceiling, .zero), max(first, .zero) * (1 << min(max(failures - 1, 0), 20)))
        return longest * Double.random(in: 0...1, using: &generator)
      case .limited(let ranges):
        guard failures >= 1, failures <= ranges.count else { return nil }
        let range = ranges[failures - 1]
        return range.lowerBound
          + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &generator)
      }
    }
  }
}
