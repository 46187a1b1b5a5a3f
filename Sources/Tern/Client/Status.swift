public import TernEvents

extension TernClient {
  /// The state of a client at one moment.
  public struct Status: Sendable, Hashable {
    /// Events in the queue that are not being sent now.
    public var queued: Int
    /// Events in requests that are under way.
    public var inFlight: Int
    /// Events that the collector has acknowledged since this client was created.
    public var delivered: Int
    /// Events that left without being delivered since the app was installed, by reason.
    public var droppedByReason: [DropReason: Int]
    /// Why the last attempt failed; `nil` once one has succeeded.
    public var lastError: DeliveryError?
    /// True if sending is paused: by the app, without a collector, or because requests are not allowed.
    public var isPaused: Bool
    /// True if the client records and sends.
    public var isEnabled: Bool
    /// True if events are on disk as soon as they are recorded.
    ///
    /// While the disk refuses them they are kept in memory, as many as fit 256 KiB, and count as queued; they are
    /// written as soon as the disk takes them, and lost if the process ends before. ``TernClient/storageError`` says why.
    public var hasStorage: Bool

    /// All dropped events, whatever the reason.
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
