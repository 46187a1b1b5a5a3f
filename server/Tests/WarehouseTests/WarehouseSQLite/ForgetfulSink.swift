import Ingest
import TernEvents
import Warehouse

/// A sink that answers success, but stores no batch's last event.
struct ForgetfulSink: EventSink {
  let base: any EventSink

  var isBehind: Bool { base.isBehind }
  var pendingRequests: PendingRequests { base.pendingRequests }

  func commit(_ batch: IncomingBatch, app: AppID) async throws -> CommitReceipt {
    var stored = batch
    let last = stored.events.popLast()
    let position = stored.events.count
    stored.errors.removeAll { $0.event == position }
    stored.attachments.removeAll { $0.event == position }
    stored.hits.removeAll { $0.event == position }
    var receipt = try await base.commit(stored, app: app)
    if last != nil { receipt.accepted += 1 }
    return receipt
  }

  func reject(_ count: Int, _ reason: RejectionReason, source: IngestProtocol, app: AppID, received: Timestamp)
    async throws
  {
    try await base.reject(count, reason, source: source, app: app, received: received)
  }

  func probeWrite() async throws { try await base.probeWrite() }
}
