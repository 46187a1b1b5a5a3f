package import Ingest
package import TernEvents

/// The write side of a warehouse, as the collector uses it.
package protocol EventSink: Sendable {
  /// Stores a batch. When this returns, the events are on disk, and they appear in all reports soon: within a
  /// second, or within five under load.
  ///
  /// Throws ``WarehouseError`` if nothing of the batch was stored. The client must keep it and retry.
  func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt

  /// Counts events that were not read as rejected, for the day of receipt.
  ///
  /// Throws ``WarehouseError`` if they could not be counted.
  func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Timestamp)
    async throws

  /// True if a batch would be rejected now because the write queue is full.
  var isBehind: Bool { get }

  /// Durably writes about a batch's worth of data and removes it again, to check after a failure whether storing works.
  ///
  /// Throws ``WarehouseError`` if a batch could not have been stored.
  func probeWrite() async throws

  /// The requests that have been received but neither stored nor rejected.
  var pendingRequests: PendingRequests { get }
}

/// The result of storing a batch.
package struct CommitReceipt: Sendable, Hashable {
  /// The number of events stored.
  package var accepted: Int
  /// The `index` of each event that was already stored.
  package var duplicates: [Int]
  /// Events that were rejected and counted because there was no room for their contents.
  package var rejections: [Rejection]
  /// The bytes that the batch takes on disk, approximately.
  package var bytes = 0
  /// The number of installs that had not sent anything before.
  package var newInstalls = 0
  /// The number of stored events that some report shows as "(other)" because the app has too many new names.
  package var unnamed: Int

  /// Creates a receipt.
  package init(accepted: Int = 0, duplicates: [Int] = [], rejections: [Rejection] = [], unnamed: Int = 0) {
    self.accepted = accepted
    self.duplicates = duplicates
    self.rejections = rejections
    self.unnamed = unnamed
  }
}
