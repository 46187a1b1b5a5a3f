import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import NIOCore
import ServerBase
import TernBase
import TernEvents
import Warehouse

/// `POST /v1/events`: Tern's own protocol.
struct NativeEndpoints: Sendable {
  let ingestion: Ingestion
  let tokens: any AccessStore
  let limits: IngestLimits

  private static let receipt = Schema.object([
    "accepted": .count, "duplicates": .list(.count),
    "rejected": .list(.object(["index": .count, "id": .text, "reason": .text, "message": .text])),
  ]).named("Receipt")

  func add(to root: EndpointGroup) {
    var operation = APIOperation(
      "sendEvents",
      "Stores events: a JSON object on each line. A request without events checks if the server can store.",
      [.header("Tern-Sent", .text), .header("Tern-Ledger", .text), Ingestion.encodingParameter],
      body: ["application/x-ndjson": .text], answers: ["application/json": Self.receipt], errors: [400, 413, 415, 503])
    (operation.credentials, operation.isBodyRequired) = (.appKey, false)
    root.on(.post, NativeProtocol.path, operation, isProtocol: true) { try await post($0.request, $0.context) }
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    // Read the clock first, because the body may arrive slowly.
    let (stamp, arrived) = (request.headers[.ternSent].flatMap { SentStamp(header: $0) }, ingestion.clocks.wallTime())
    guard let key = request.headers[.ternKey]?.trimmed ?? request.bearerToken,
      let app = try ingestion.find({ try $0.app(keyOrAppSecret: key) })?.id ?? app(token: key)
    else {
      ingestion.recordUnknownApp(.native)
      throw BodyReader.closingUnlessHarmless(.unknownKey, request)
    }
    let clock = stamp.map { stamp in
      ingestion.bootTimes.withLock { EventClock(stamp, arrived: arrived, app: app.rawValue, &$0) }
    }
    let owners = context.owners(app: app)
    do { try ingestion.usage.admit(owners) } catch { throw BodyReader.closingUnlessHarmless(error, request) }
    let encoding = try ingestion.encoding(of: request)
    let body = try await ingestion.reader.read(request, context, app: app, limit: limits.maximumBodyBytes)
    guard body.bytes.readableBytes > 0 else { return try await answerHealthProbe() }
    let pending = ingestion.beginRequest()
    defer { pending.end() }
    let received = pending.time
    let (secret, limits) = (ingestion.duplicateKey, limits)
    do {
      var batch = try await ingestion.parse(body, encoding: encoding, limits: limits) { (bytes) throws(IngestError) in
        try NativeParser.parse(
          bytes, received: received, clock: clock, key: secret, app: app.rawValue, limits: limits)
      }
      guard !batch.events.isEmpty || !batch.rejections.isEmpty else { return try await answerHealthProbe() }
      batch.ledger = request.headers[.ternLedger].flatMap { DeviceLedger(header: $0) }?
        .answered(stored: batch.events.count, rejected: batch.rejections.count)
      let receipt = try await ingestion.commit(batch, app: app, owners: owners)
      return .json(Self.answer(receipt, batch.rejections + receipt.rejections))
    } catch let error as IngestError {
      ingestion.metrics.unreadable(.native)
      throw APIError(error, limit: limits.maximumDecompressedBytes)
    }
  }

  /// Returns the app of a token that may send events.
  private func app(token: String) throws -> AppID? {
    guard let token = try tokens.token(token), let app = token.app, token.rights.allows(.send, app: app) else {
      return nil
    }
    return app
  }

  /// Answers a health probe: a request without events.
  private func answerHealthProbe() async throws(APIError) -> Response {
    try await ingestion.checkWritable()
    return .json(Self.answer(CommitReceipt(), []))
  }

  /// `{"accepted":n,"duplicates":[index],"rejected":[{"index","id","reason","message"}]}`
  static func answer(_ receipt: CommitReceipt, _ rejections: [Rejection]) -> [UInt8] {
    var json = JSONWriter(capacity: 64 + rejections.count * 128)
    json.raw("{\"accepted\":")
    json.integer(Int64(receipt.accepted))
    json.raw(",\"duplicates\":")
    json.integers(receipt.duplicates)
    json.raw(",\"rejected\":[")
    for (position, rejection) in rejections.enumerated() {
      json.raw(position > 0 ? ",{\"index\":" : "{\"index\":")
      json.integer(Int64(rejection.index))
      json.raw(",\"id\":")
      json.string(rejection.id)
      json.raw(",\"reason\":")
      json.string(rejection.reason)
      json.raw(",\"message\":")
      json.string(rejection.message)
      json.raw("}")
    }
    json.raw("]}")
    return json.bytes
  }
}
