public import Ingest

/// The accepting side of a warehouse, as the collector uses it.
public protocol EventSink: Sendable {
  /// Stores a batch. When this returns, the events are on disk and will be in every report within a second.
  ///
  /// Throws ``WarehouseError`` when nothing of the batch was stored; the client must keep it and try again.
  func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt

  /// Whether a batch would be refused now because too much waits already.
  var isBehind: Bool { get }

  /// Stores something about as large as a batch, durably, and removes it again: shows whether storing works when no
  /// batch is at hand, after one has failed.
  ///
  /// Throws ``WarehouseError`` when a batch could not have been stored.
  func probeWrite() async throws

  /// Where requests are noted from their receipt until they are stored or refused.
  var pendingRequests: PendingRequests { get }
}

/// What became of a batch.
public struct CommitReceipt: Sendable, Hashable {
  /// How many events were stored.
  public var accepted: Int
  /// The `index` of each event that had been stored before.
  public var duplicates: [Int]
  /// Events that were refused and counted, because there is no room for what they carry.
  public var rejections: [Rejection]
  /// How many of the stored events are reported as "(other)" in some figure, since the app brings too many new names.
  public var unnamed: Int

  /// Creates a receipt.
  public init(accepted: Int = 0, duplicates: [Int] = [], rejections: [Rejection] = [], unnamed: Int = 0) {
    self.accepted = accepted
    self.duplicates = duplicates
    self.rejections = rejections
    self.unnamed = unnamed
  }
}
