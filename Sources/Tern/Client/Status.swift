public import TernValues

extension TernClient {
  /// The state of a client at one moment.
  public struct Status: Sendable, Hashable {
    /// Events in the queue that are not in flight.
    public var queued: Int
    /// Events in active requests.
    public var inFlight: Int
    /// Events that the collector has acknowledged since this client was created.
    public var delivered: Int
    /// Events dropped since the app was installed, by reason.
    public var droppedByReason: [DropReason: Int]
    /// The error of the last attempt; `nil` if it succeeded.
    public var lastError: DeliveryError?
    /// True if sending is paused: by the app, because there is no collector, or because requests are not allowed.
    public var isPaused: Bool
    /// True if the client records and sends.
    public var isEnabled: Bool
    /// True if events are written to disk as they are recorded.
    ///
    /// While the disk refuses writes, up to 256 KiB of events are kept in memory and count as queued. They are written
    /// once the disk recovers, and lost if the process ends first. See ``TernClient/storageError`` for the cause.
    public var hasStorage: Bool

    /// The total number of dropped events.
    public var dropped: Int { droppedByReason.saturatingTotal }

    /// Creates a status; useful in previews and tests.
    public init(
      queued: Int = 0, inFlight: Int = 0, delivered: Int = 0, droppedByReason: [DropReason: Int] = [:],
      lastError: DeliveryError? = nil, isPaused: Bool = false, isEnabled: Bool = true,
      hasStorage: Bool = true
    ) {
      self.queued = queued
      self.inFlight = inFlight
      self.delivered = delivered
      self.droppedByReason = droppedByReason
      self.lastError = lastError
      self.isPaused = isPaused
      self.isEnabled = isEnabled
      self.hasStorage = hasStorage
    }
  }
}
