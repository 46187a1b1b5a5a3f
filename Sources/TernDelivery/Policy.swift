import TernEvents

/// The settings of a ``DeliveryMachine``. Fixed retry rules are in RetryRules.swift.
package struct Policy: Sendable, Equatable {
  /// The maximum number of events per batch.
  package var batchEvents: Int
  /// The maximum bytes of events per batch, before compression.
  package var batchBytes: Int
  /// The number of waiting events that triggers a delivery.
  package var flushAt: Int
  /// The time from the first unsent event to the start of a delivery; if `nil`, time never triggers one.
  package var flushInterval: Duration?
  /// The time from the first unsent critical event to the start of a delivery.
  package var criticalFlushInterval: Duration
  /// The maximum number of batches in flight.
  package var maximumInFlight: Int
  /// The backoff after failures.
  package var retry: Retry
  /// The number of consecutive failures that opens the circuit, so that health probes precede events, even after a
  /// relaunch; if `nil`, failures never open it.
  package var circuitBreakerThreshold: Int?
  /// Opens the circuit at launch if the previous process sent events without success; for policies without a threshold.
  package var opensCircuitAtLaunch: Bool
  /// Sends due critical events without normal ones, which keep their own schedule.
  package var sendsCriticalAlone: Bool
  /// Makes each failed batch keep its events and retry on its own schedule; once one has exhausted its retries, all
  /// stop. If false, failed batches are requeued and back off together.
  package var retriesEachBatch: Bool

  /// Creates a policy; the defaults are Tern's. Values out of range are clamped.
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
