import TernEvents

/// The settings of a ``DeliveryMachine``. Retry rules that no client changes are in RetryRules.swift.
package struct Policy: Sendable, Equatable {
  /// The most events of one batch.
  package var batchEvents: Int
  /// The most bytes of events in one batch, before compression.
  package var batchBytes: Int
  /// The number of waiting events that starts a delivery at once.
  package var flushAt: Int
  /// The time from the first unsent event to the start of a delivery; `nil`: time never starts one.
  package var flushInterval: Duration?
  /// The time from the first unsent critical event to the start of a delivery.
  package var criticalFlushInterval: Duration
  /// The most batches in flight.
  package var maximumInFlight: Int
  /// The waits after failures.
  package var retry: Retry
  /// The number of failures in a row that opens the circuit: health probes without events then precede events, over
  /// relaunches, too. `nil`: never.
  package var circuitBreakerThreshold: Int?
  /// Opens the circuit at launch if the previous launch sent events and only failures came back; for policies without a
  /// threshold.
  package var opensCircuitAtLaunch: Bool
  /// Lets due critical events leave normal ones behind, which keep their own time.
  package var sendsCriticalAlone: Bool
  /// Lets each failed batch keep its events and retry on its own schedule; once a batch has exhausted its retries, all
  /// stop. Otherwise failed batches are requeued and wait together.
  package var retriesEachBatch: Bool

  /// Creates a policy; the defaults are Tern's. Numbers below one are raised to one, negative times to zero.
  package init(
    batchEvents: Int = 500, batchBytes: Int = 512 << 10, flushAt: Int = 50, flushInterval: Duration? = .seconds(6),
    criticalFlushInterval: Duration = .zero, maximumInFlight: Int = 3,
    retry: Retry = .unlimited(first: .seconds(2), ceiling: .seconds(30 * 60)),
    circuitBreakerThreshold: Int? = 2, opensCircuitAtLaunch: Bool = false,
    sendsCriticalAlone: Bool = false, retriesEachBatch: Bool = false
  ) {
    self.batchEvents = max(batchEvents, 1)
    self.batchBytes = max(batchBytes, 1)
    self.flushAt = max(flushAt, 1)
    self.flushInterval = flushInterval.map { max($0, .zero) }
    self.criticalFlushInterval = max(criticalFlushInterval, .zero)
    self.maximumInFlight = max(maximumInFlight, 1)
    self.retry = retry
    self.circuitBreakerThreshold = circuitBreakerThreshold.map { max($0, 1) }
    self.opensCircuitAtLaunch = opensCircuitAtLaunch
    self.sendsCriticalAlone = sendsCriticalAlone
    self.retriesEachBatch = retriesEachBatch
  }

  /// True if the circuit can open.
  var sendsHealthProbes: Bool { circuitBreakerThreshold != nil || opensCircuitAtLaunch }
}
