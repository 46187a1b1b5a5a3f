import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import NIOCore
import ServerBase
import TernEvents
import Warehouse

/// The addresses of other systems' clients, whose protocols are values of ``Ingest/ClientProtocols``.
struct ClientEndpoints: Sendable {
  let ingestion: Ingestion
  let limits: IngestLimits
  let unknownSecret: UnknownSecretPolicy

  /// An address with the protocols that share it.
  private struct Address {
    let route: ClientRoute
    var protocols: [any ClientProtocol]
  }

  /// In the order of the protocols.
  private static let addresses: [Address] = ClientProtocols.all.reduce(into: []) { addresses, client in
    for route in client.routes {
      if let index = addresses.firstIndex(where: { $0.route == route }) {
        addresses[index].protocols.append(client)
      } else {
        addresses.append(Address(route: route, protocols: [client]))
      }
    }
  }

  static let paths = Set(addresses.map(\.route.path))

  func add(to root: EndpointGroup) {
    for address in Self.addresses where address.route.path != MeasurementEndpoints.batchPath {
      let protocols = address.protocols
      let name = address.route.path.split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
      let title = protocols.map(\.title).joined(separator: ", ")
      var operation = APIOperation(
        "\(protocols[0].source.rawValue)_\(name)\(address.route.method == .get ? "_get" : "")",
        "Stores what clients of \(title) send.", [Ingestion.encodingParameter],
        body: address.route.method == .get ? [:] : ["application/json": .any], errors: [413, 415, 503])
      Self.describeAnswers(of: &operation)
      operation.isBodyRequired = false
      root.on(address.route.method == .get ? .get : .post, address.route.path, operation, isProtocol: true) {
        await answer($0.request, $0.context, protocols)
      }
      if address.route.method == .post {
        MeasurementEndpoints.addPreflight(address.route.path, operation.name, to: root)
      }
    }
  }

  /// Describes answers that have the form which each system's clients understand.
  static func describeAnswers(of operation: inout APIOperation) {
    operation.answers = [
      "application/json": .any, "text/plain": .any, "image/gif": .any, "application/x-protobuf": .any,
    ]
    operation.otherStatuses = [202, 204]
    operation.errors = Set(operation.errors + [400, 401]).sorted()
    operation.errorAnswers = ["application/json": .any, "text/plain": .any]
  }

  private func answer(
    _ request: Request, _ context: CollectorContext, _ protocols: [any ClientProtocol]
  ) async -> Response {
    let client = clientRequest(request, context)
    do {
      guard request.method != .head else { return Response(status: .ok) }
      try ingestion.usage.admit(context.owners(app: nil))
      let encoding = try ingestion.encoding(of: request)
      let body =
        request.method == .get
        ? try ingestion.reader.query(Self.withoutQuery(request), context)
        : try await ingestion.reader.read(request, context, limit: client.limits.maximumBodyBytes)
      return try await store(body, encoding: encoding, client, context, protocols)
        ?? Self.response(protocols[0].answer(.unreadable, to: client))
    } catch {
      return response(to: error, client, protocols[0])
    }
  }

  /// Stores a body of an address that these protocols share with another one; `nil` for a body of the other one.
  ///
  /// - Parameter arrived: When the head of the request arrived.
  func answer(
    _ body: BodyReader.Body, encoding: String?, _ request: Request, arrived: Timestamp, _ context: CollectorContext
  ) async -> Response? {
    let protocols = Self.protocols(of: request)
    var client = clientRequest(request, context)
    client.arrived = arrived
    do {
      return try await store(body, encoding: encoding, client, context, protocols)
    } catch {
      return protocols.first.map { response(to: error, client, $0) }
    }
  }

  /// Answers a request of a shared address that fails before its body shows whose it is.
  func response(to error: any Error, _ request: Request, _ context: CollectorContext) -> Response? {
    Self.protocols(of: request).first.map { response(to: error, clientRequest(request, context), $0) }
  }

  private static func protocols(of request: Request) -> [any ClientProtocol] {
    let path = path(request)
    return addresses.first { $0.route == .post(path) }?.protocols ?? []
  }

  /// A request with all of its data in the address is read there, and has no body.
  private static func withoutQuery(_ request: Request) -> Request {
    var head = request.head
    head.path = request.uri.path
    return Request(head: head, body: request.body)
  }

  /// The path without doubled slashes and without one at its end.
  private static func path(_ request: Request) -> String {
    "/" + request.uri.path.split(separator: "/").joined(separator: "/")
  }

  private func clientRequest(_ request: Request, _ context: CollectorContext) -> ClientRequest {
    let headers = request.headers
    return ClientRequest(
      path: Self.path(request), query: request.uri.query ?? "", arrived: ingestion.clocks.wallTime(),
      key: ingestion.duplicateKey, limits: limits, sender: "\(context.clientShare)"
    ) { name in HTTPField.Name(name).flatMap { headers[$0]?.trimmed } }
  }

  private func store(
    _ body: BodyReader.Body, encoding: String?, _ request: ClientRequest, _ context: CollectorContext,
    _ protocols: [any ClientProtocol]
  ) async throws -> Response? {
    let pending = ingestion.beginRequest()
    defer { pending.end() }
    let read = try await ingestion.parse(body, encoding: encoding, limits: request.limits) {
      (bytes) throws(IngestError) in
      guard let client = protocols.first(where: { protocols.count == 1 || $0.recognizes(bytes) }) else {
        return (any ClientProtocol, ClientReading)?.none
      }
      let reading = try client.read(bytes, request)
      try reading.check(request.limits)
      return (client, reading)
    }
    guard let (client, reading) = read else { return nil }
    do {
      let outcome = try await commit(reading, client, request, context, received: pending.time)
      return Self.response(client.answer(outcome, to: request))
    } catch {
      // Of protocols that share the address, only this one's errors are understood.
      return response(to: error, request, client)
    }
  }

  private func commit(
    _ reading: ClientReading, _ client: any ClientProtocol, _ request: ClientRequest, _ context: CollectorContext,
    received: Timestamp
  ) async throws -> ClientOutcome {
    var isKnown = false
    for key in reading.keys {
      guard let app = try ingestion.find({ try $0.app(writeKey: key) })?.id else {
        ingestion.recordUnknownApp(client.source)
        continue
      }
      let owners = context.owners(app: app)
      // Its address was charged before the body was read.
      try ingestion.usage.admit([.app(app.rawValue)])
      let batch = reading.batch(
        of: key, app: app.rawValue, source: client.source, received: received, request, isFirst: !isKnown)
      isKnown = true
      _ = try await ingestion.commit(batch, app: app, owners: owners)
    }
    return isKnown || unknownSecret == .discard ? .stored(reading) : .unknownKey
  }

  private func response(to error: any Error, _ request: ClientRequest, _ client: any ClientProtocol) -> Response {
    var failure = APIError.notStored(retryAfterSeconds: ingestion.limits.retryAfterSeconds)
    if let error = error as? APIError {
      failure = error
    } else if let error = error as? IngestError {
      ingestion.metrics.unreadable(client.source)
      failure = APIError(error, limit: request.limits.maximumDecompressedBytes)
    }
    // A body that is cut off may come whole in another attempt.
    if failure.code == APIError.incomplete.code {
      failure = .truncatedBody(retryAfterSeconds: ingestion.limits.retryAfterSeconds)
    }
    // Most clients forget their events after 429.
    let isBusy = failure.status == .tooManyRequests || failure.status == .serviceUnavailable
    let delay = failure.headers[.retryAfter].flatMap { Int($0) } ?? ingestion.limits.retryAfterSeconds
    var response = Self.response(
      client.answer(
        .failed(
          status: isBusy ? 503 : failure.status.code, code: failure.code, message: failure.message,
          retryAfterSeconds: isBusy ? delay : nil), to: request))
    response.headers[.connection] = failure.headers[.connection]
    return response
  }

  private static func response(_ answer: ClientAnswer) -> Response {
    var headers: HTTPFields = [.cacheControl: "no-store", .accessControlAllowOrigin: "*"]
    if !answer.contentType.isEmpty { headers[.contentType] = answer.contentType }
    headers[.retryAfter] = answer.retryAfterSeconds.map { String($0) }
    return Response(
      status: HTTPResponse.Status(code: answer.status), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }
}

extension ClientOutcome {
  /// A body that is none of those that an address takes.
  fileprivate static let unreadable = ClientOutcome.failed(
    status: 400, code: "malformed", message: "The body is none of those that this address takes.",
    retryAfterSeconds: nil)
}
