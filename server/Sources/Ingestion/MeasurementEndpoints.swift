import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import NIOCore
import TernEvents
import Warehouse

/// `GET|POST /collect`, its aliases `/r/collect` and `/j/collect`, and `POST /batch`: Measurement Protocol v1.
///
/// The response is always 200 with an image, even for invalid hits, as the protocol requires; clients drop their hits
/// on any other response.
struct MeasurementEndpoints: Sendable {
  let ingestion: Ingestion
  let limits: IngestLimits
  let clients: ClientEndpoints

  /// The form of a payload: one hit, or one per line.
  private enum Form { case hit, lines }

  private static let hitPaths = ["/collect", "/r/collect", "/j/collect"]
  /// Clients of other systems have this address, too.
  static let batchPath = "/batch"
  static let paths = hitPaths + [batchPath]

  private static let image: Schema.Members = ["image/gif": .any]

  func add(to root: EndpointGroup) {
    for path in Self.hitPaths {
      let name = String(path.dropFirst()).replacing("/", with: "_")
      root.on(.get, path, Self.get("\(name)_get", "Stores a hit.", Self.image), isProtocol: true) {
        try await get($0.request, $0.context)
      }
      root.on(.post, path, Self.post("\(name)_post", "Stores a hit.", Self.image), isProtocol: true) {
        try await post($0.request, $0.context)
      }
      Self.addPreflight(path, name, to: root)
    }
    var operation = Self.post("batch", "Stores hits, one on each line, or what clients of other systems send.", [:])
    ClientEndpoints.describeAnswers(of: &operation)
    root.on(.post, Self.batchPath, operation, isProtocol: true) { try await batch($0.request, $0.context) }
    Self.addPreflight(Self.batchPath, "batch", to: root)
  }

  /// A request with a hit in its address.
  static func get(_ name: String, _ summary: String, _ answers: Schema.Members) -> APIOperation {
    APIOperation(
      name, summary, [.query("v", .text), .query("tid", .text), .query("t", .text), .query("cid", .text)],
      answers: answers, errors: [503])
  }

  /// A request with hits in its body.
  static func post(_ name: String, _ summary: String, _ answers: Schema.Members) -> APIOperation {
    var operation = APIOperation(
      name, summary, [Ingestion.encodingParameter], body: ["text/plain": .text], answers: answers,
      errors: [400, 413, 415, 503])
    operation.isBodyRequired = false
    return operation
  }

  private func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
    // HEAD comes from link checkers and is not a hit.
    guard request.method == .get, isAdmitted(context) else { return Self.picture }
    return try await store(ingestion.reader.query(request, context), request, context, encoding: nil, .hit)
  }

  /// Answers an address that clients of other systems have, too. They keep their events after an error, which a picture would hide.
  private func batch(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (body, encoding): (BodyReader.Body, String?)
    let arrived = ingestion.clocks.wallTime()
    do {
      try ingestion.usage.admit(context.owners(app: nil))
      encoding = try ingestion.encoding(of: request)
      body = try await ingestion.reader.read(request, context, limit: IngestLimits.clients.maximumBodyBytes)
    } catch {
      guard let response = clients.response(to: error, request, context) else { throw error }
      return response
    }
    if let response = await clients.answer(body, encoding: encoding, request, arrived: arrived, context) {
      return response
    }
    return try await store(body, request, context, encoding: encoding, .lines)
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    guard isAdmitted(context) else { return Self.picture }
    let encoding = try ingestion.encoding(of: request)
    let body = try await ingestion.reader.read(request, context, limit: limits.maximumBodyBytes)
    return try await store(body, request, context, encoding: encoding, .hit)
  }

  private func store(
    _ body: BodyReader.Body, _ request: Request, _ context: CollectorContext, encoding: String?, _ form: Form
  ) async throws -> Response {
    var body = body
    // Some clients send a POST with all parameters in the address.
    if body.bytes.readableBytes == 0, let query = request.uri.query { body.bytes = ByteBuffer(string: query) }
    let pending = ingestion.beginRequest()
    defer { pending.end() }
    let (received, agent) = (pending.time, request.headers[.userAgent])
    let (key, limits) = (ingestion.duplicateKey, limits)
    let batches: [MeasurementBatch]
    do {
      batches = try await ingestion.parse(body, encoding: encoding, limits: limits) { bytes in
        switch form {
        case .hit:
          MeasurementParser.collect(bytes, userAgent: agent, received: received, key: key, limits: limits)
        case .lines:
          MeasurementParser.batch(bytes, userAgent: agent, received: received, key: key, limits: limits)
        }
      }
    } catch let error as IngestError {
      ingestion.metrics.unreadable(.measurement)
      guard error.code == .tooLarge else { return Self.picture }
      throw APIError(error, limit: limits.maximumDecompressedBytes)
    }
    for batch in batches {
      guard let app = try ingestion.find({ try $0.app(trackingID: batch.trackingID) }) else {
        ingestion.recordUnknownApp(.measurement, trackingID: batch.trackingID)
        continue
      }
      do {
        try ingestion.usage.admit([.app(app.id.rawValue)])
      } catch {
        // Google Analytics answered such hits like others, and dropped them.
        ingestion.usage.drop(batch.batch.events.count, of: app.id)
        continue
      }
      _ = try await ingestion.commit(batch.batch, app: app.id, owners: context.owners(app: app.id))
    }
    return Self.picture
  }

  /// Returns false for a client whose hits are dropped unread, because it has sent too many.
  private func isAdmitted(_ context: CollectorContext) -> Bool {
    do {
      try ingestion.usage.admit(context.owners(app: nil))
      return true
    } catch {
      return false
    }
  }

  /// Allows browsers to send hits from pages of any site.
  static func addPreflight(_ path: String, _ name: String, to root: EndpointGroup) {
    var operation = APIOperation("\(name)_options", "Allows browsers to send hits from any site.")
    operation.status = 204
    root.on(.options, path, operation, isProtocol: true) { _ in
      Response(
        status: .noContent,
        headers: [
          .accessControlAllowOrigin: "*", .accessControlAllowMethods: "GET, POST", .accessControlAllowHeaders: "*",
          .accessControlMaxAge: "86400",
        ])
    }
  }

  private static let picture = Response(
    status: .ok,
    headers: [
      .contentType: "image/gif", .cacheControl: "private, no-cache, no-cache=Set-Cookie, proxy-revalidate",
      .pragma: "no-cache", .expires: "Mon, 07 Aug 1995 23:30:00 GMT",
      .lastModified: "Sun, 17 May 1998 03:00:00 GMT", .accessControlAllowOrigin: "*",
    ],
    body: ResponseBody(byteBuffer: ByteBuffer(bytes: ClientAnswer.transparentPixel)))
}
