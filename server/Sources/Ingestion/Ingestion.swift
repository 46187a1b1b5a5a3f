package import HTTP
import HTTPTypes
package import Hummingbird
package import Ingest
import JSON
package import Logging
import NIOCore
import ServerBase
import TernBase
import TernEvents
package import Threads
package import Warehouse

/// The path of every batch of any protocol: read within the budget, decode, parse, commit, then respond.
package struct Ingestion: Sendable {
  package let catalog: any CatalogStore
  package let sink: any EventSink
  package let duplicateKey: DuplicateHashKey
  package let reader: BodyReader
  package let metrics: CollectorMetrics
  package let live: LiveHub
  package let usage: UsageGate
  package let limits: CollectorLimits
  package let decoding: ThreadPool<RequestOwner>
  package let logger: Logger
  package let clocks: Clocks
  let readiness: Locked<Readiness>
  let bootTimes = Locked(BootTimes())
  private let commitFailureThrottle = Locked(LogThrottle())
  private let unknownAppThrottle = Locked(LogThrottle(interval: .seconds(60)))
  private let nameLimitThrottles = Locked<[AppID: LogThrottle]>([:])
  /// False if less than the reserve is free on the disk.
  let hasRoom: @Sendable () -> Bool

  package init(
    catalog: any CatalogStore, sink: any EventSink, duplicateKey: DuplicateHashKey, reader: BodyReader, live: LiveHub,
    usage: UsageGate, clocks: Clocks, logger: Logger, hasRoom: @escaping @Sendable () -> Bool
  ) {
    (self.catalog, self.sink, self.duplicateKey) = (catalog, sink, duplicateKey)
    (self.reader, self.live, self.usage) = (reader, live, usage)
    (self.clocks, self.logger, self.hasRoom) = (clocks, logger, hasRoom)
    (metrics, limits) = (reader.metrics, reader.limits)
    decoding = ThreadPool(
      .decoding(limits.decodingThreads),
      // One thread is left for other owners: a costly body of one app doesn't hold up those of others.
      limits: FairQueueLimits(runningPerOwner: limits.decodingThreads - 1))
    readiness = Locked(Readiness(probeInterval: limits.writeProbeInterval))
  }

  /// Registers a request whose body has arrived. The caller ends it after the response.
  func beginRequest() -> PendingRequest { sink.pendingRequests.begin(clocks.wallTime) }

  /// Records a request that names an unknown app. The protocols' responses hardly show this, so an operator who misses
  /// events finds a line in the log, at most once a minute.
  ///
  /// - Parameter trackingID: The tracking ID in the request; `nil` for secrets.
  func recordUnknownApp(_ source: IngestProtocol, trackingID: String? = nil) {
    metrics.unknownApp(source)
    guard let count = unknownAppThrottle.withLock({ $0.occurred(at: clocks.uptime()) }) else { return }
    let requests = count == 1 ? "A request names" : "\(count) requests name"
    var metadata: Logger.Metadata = ["protocol": "\(source.rawValue)"]
    // Anyone can send it: shorten it and remove control characters.
    if let trackingID {
      metadata["tid"] =
        "\(String(trackingID.prefix(40).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }))"
    }
    logger.warning(
      "\(requests) an unknown app; `tern apps list` shows the known ones", metadata: metadata)
  }

  /// Logs that events of an app are reported without their names, because the app, or anyone with its key, sends too
  /// many.
  private func logNameLimit(_ app: AppID) {
    let now = clocks.uptime()
    let count = nameLimitThrottles.withLock {
      $0[app, default: LogThrottle(interval: .seconds(60))].occurred(at: now)
    }
    guard let count else { return }
    logger.warning(
      """
      \(count == 1 ? "A batch" : "\(count) batches") of app \(app) had more new names than allowed; they \
      are reported as (other). `tern apps names \(app)` shows and changes the limit
      """)
  }

  /// True if a commit is likely to work.
  var isReady: Bool {
    hasRoom() && readiness.withLock { $0.isReady(at: clocks.uptime()) }
  }

  /// The approximate size of a batch, in bytes.
  private static let usualBytes = 64 << 10

  /// Answers a health probe: throws ``APIError`` 503 if a batch could not be stored now.
  func checkWritable() async throws(APIError) {
    guard !sink.isBehind, reader.gate.hasRoom(for: Self.usualBytes) else {
      metrics.turnedAway()
      throw .behind(retryAfterSeconds: limits.retryAfterSeconds)
    }
    switch readiness.withLock({ $0.writeHealth(at: clocks.uptime()) }) {
    case .healthy: return
    case .failing: throw .notStored(retryAfterSeconds: limits.retryAfterSeconds)
    case .needsProbe: break
    }
    do {
      try await sink.probeWrite()
      readiness.withLock { $0.succeeded() }
    } catch {
      // Neither counted nor logged: no batch has failed, and the last failure was logged.
      readiness.withLock { $0.failed(at: clocks.uptime()) }
      throw .notStored(retryAfterSeconds: limits.retryAfterSeconds)
    }
  }

  /// The encodings supported by ``Ingest/BodyDecoder``.
  private static let encodings: Set<String> = ["", "identity", "gzip", "x-gzip", "deflate"]

  /// Returns the content encoding of a request in lowercase, or `nil` for none; throws 415 for an unknown one.
  package func encoding(of request: Request) throws(APIError) -> String? {
    guard let value = request.headers[.contentEncoding]?.lowercased() else { return nil }
    let name = value.trimmed
    guard Self.encodings.contains(name) else {
      throw BodyReader.closingUnlessHarmless(
        APIError(
          status: .unsupportedMediaType, code: "unsupported_encoding",
          message: "Send the body uncompressed, or with Content-Encoding gzip or deflate.",
          headers: [.acceptEncoding: "gzip, deflate"]), request)
    }
    return name.isEmpty || name == "identity" ? nil : name
  }

  /// Finds an app; throws ``APIError`` 503 if the catalog cannot be read, because the key may be valid.
  package func find(_ look: (any CatalogStore) throws -> App?) throws(APIError) -> App? {
    do { return try look(catalog) } catch { throw apiError(for: error) }
  }

  /// Decodes and parses a body; large and compressed bodies are handled on the decoding threads.
  ///
  /// Throws ``Ingest/IngestError`` if the body is unreadable, ``APIError`` if the collector is behind.
  package func parse<Value: Sendable>(
    _ body: BodyReader.Body, encoding: String?, limits ingest: IngestLimits,
    _ parse: @escaping @Sendable (UnsafeRawBufferPointer) throws(IngestError) -> Value
  ) async throws -> Value {
    let work: @Sendable () throws -> Value = {
      let value: Result<Value, IngestError>? = body.bytes.withUnsafeReadableBytes { sent in
        Self.decode(sent, encoding, ingest, growing: body.reservation, parse)
      }
      guard let value else {
        metrics.turnedAway()
        throw APIError.behind(retryAfterSeconds: limits.retryAfterSeconds)
      }
      return try value.get()
    }
    // The size of a compressed body is known only after decompression, and may be a thousand times the size sent.
    let isSmall = encoding == nil && body.bytes.readableBytes <= limits.maximumImmediateBytes
    return isSmall ? try work() : try await decoding.run(for: body.owners, work)
  }

  /// Returns `nil` if the decompressed body exceeds the budget.
  private static func decode<Value>(
    _ sent: UnsafeRawBufferPointer, _ encoding: String?, _ limits: IngestLimits,
    growing reservation: AdmissionGate.Reservation, _ parse: (UnsafeRawBufferPointer) throws(IngestError) -> Value
  ) -> Result<Value, IngestError>? {
    do throws(IngestError) {
      let value: Value? = try BodyDecoder.withDecoded(sent, encoding: encoding, limits: limits) {
        (bytes) throws(IngestError) in
        reservation.grow(to: bytes.count) ? try parse(bytes) : nil
      }
      return value.map { .success($0) }
    } catch {
      return .failure(error)
    }
  }

  /// Stores a batch and charges it to its owners; throws ``APIError`` 503 if nothing of it was stored.
  package func commit(
    _ batch: IncomingBatch, app: AppID, owners: [RequestOwner]
  ) async throws(APIError) -> CommitReceipt {
    guard !batch.events.isEmpty || !batch.rejections.isEmpty else { return CommitReceipt() }
    let before = ContinuousClock.now
    do {
      let receipt = try await sink.commit(batch, app: app)
      readiness.withLock { $0.succeeded() }
      let rejected = batch.rejections.count + receipt.rejections.count
      usage.charge(
        UsageMeter.Use(
          events: batch.events.count + batch.rejections.count, bytes: receipt.bytes, installs: receipt.newInstalls),
        to: owners)
      metrics.committed(batch.source, receipt, rejected: rejected, took: .now - before)
      if receipt.accepted > 0 { live.stored(app) }
      if receipt.unnamed > 0 { logNameLimit(app) }
      return receipt
    } catch {
      throw apiError(for: error)
    }
  }

  private func apiError(for error: any Error) -> APIError {
    if let error = error as? WarehouseError, error.code == .busy {
      metrics.turnedAway()
      return .behind(retryAfterSeconds: limits.retryAfterSeconds)
    }
    if let error = error as? WarehouseError, error.code == .unknownApp {
      // The app was deleted after its key was looked up. Storing works; the next attempt learns that the key is unknown.
      return .notStored(retryAfterSeconds: limits.retryAfterSeconds)
    }
    metrics.commitFailed()
    readiness.withLock { $0.failed(at: clocks.uptime()) }
    if let count = commitFailureThrottle.withLock({ $0.occurred(at: clocks.uptime()) }) {
      let about = count == 1 ? "A batch" : "\(count) batches"
      logger.error("\(about) could not be stored", metadata: ["error": "\(error)"])
    }
    return .notStored(retryAfterSeconds: limits.retryAfterSeconds)
  }
}

extension Ingestion {
  /// The parameter of a body that may be compressed.
  static let encodingParameter = APIOperation.Parameter.header(
    "Content-Encoding", .choice(["identity"]).described("Or gzip or deflate."))
}
