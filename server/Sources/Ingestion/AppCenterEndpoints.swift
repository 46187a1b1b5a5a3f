import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import NIOCore
import ServerBase
import TernEvents
import Warehouse

/// `POST /logs?api-version=1.0.0`: requests of App Center's SDKs and of hand-written clients.
///
/// The version is optional: hand-written clients spell the parameter in several ways, and there is only one version.
struct AppCenterEndpoints: Sendable {
  let ingestion: Ingestion
  let limits: IngestLimits
  let unknownSecret: UnknownSecretPolicy

  /// The delay for a client with an unknown secret. Stock clients give up after three retries until the app's next
  /// launch, so each delay should leave the operator time to enter the secret.
  private static let unknownSecretRetryMilliseconds = 600_000

  static let path = "/logs"

  private static let logs = Schema.object(["logs": .list(.object(["type": .text], others: .any))], others: .any)
    .named("AppCenterLogs")
  private static let receipt = Schema.object([
    "status": .choice(["Success", "NoValidLogsFoundInLogContainer"]), "validDiagnosticsIds": .list(.text),
    "throttledDiagnosticsIds": .list(.text), "correlationId": .text,
  ]).named("AppCenterReceipt")

  func add(to root: EndpointGroup) {
    var operation = APIOperation(
      "sendAppCenterLogs", "Stores the logs of an App Center SDK.",
      [.query("api-version", .text), .header("Install-ID", .uuid), Ingestion.encodingParameter],
      body: ["application/json": Self.logs], answers: ["application/json": Self.receipt], errors: [413, 415, 503])
    operation.credentials = .appSecret
    root.on(.post, Self.path, operation, isProtocol: true) { try await post($0.request, $0.context) }
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    guard let secret = request.headers[.appSecret]?.trimmed, !secret.isEmpty else {
      throw BodyReader.closingUnlessHarmless(
        APIError(
          status: .unauthorized, code: "app_secret_missing", message: "Send the app's secret in the header App-Secret."
        ), request)
    }
    guard let app = try ingestion.find({ try $0.app(appSecret: secret) })?.id else {
      ingestion.recordUnknownApp(.appCenter)
      return try answerUnknownSecret(request)
    }
    do {
      return try await store(request, context, app: app)
    } catch let error as APIError {
      throw Self.withRetryMilliseconds(
        error.code == APIError.incomplete.code
          ? .truncatedBody(retryAfterSeconds: ingestion.limits.retryAfterSeconds) : error)
    }
  }

  private func store(_ request: Request, _ context: CollectorContext, app: AppID) async throws -> Response {
    let owners = context.owners(app: app)
    do {
      try ingestion.usage.admit(owners)
    } catch {
      // Not 429: stock clients delete their queue on any 4xx.
      var error = error
      error.status = .serviceUnavailable
      throw BodyReader.closingUnlessHarmless(error, request)
    }
    let encoding = try ingestion.encoding(of: request)
    // 413 makes a stock client delete its queue, as with App Center, but its batches of 50 logs stay far below the
    // limit.
    let body = try await ingestion.reader.read(request, context, app: app, limit: limits.maximumBodyBytes)
    let pending = ingestion.beginRequest()
    defer { pending.end() }
    let received = pending.time
    let install = request.headers[.installID]?.trimmed
    let (key, limits) = (ingestion.duplicateKey, limits)
    let read: AppCenterBatch
    do {
      read = try await ingestion.parse(body, encoding: encoding, limits: limits) { (bytes) throws(IngestError) in
        try AppCenterParser.parse(
          bytes, install: install, received: received, key: key, app: app.rawValue, limits: limits)
      }
    } catch let error as IngestError where error.code == .tooLarge {
      ingestion.metrics.unreadable(.appCenter)
      throw APIError(error, limit: limits.maximumDecompressedBytes)
    } catch let error as IngestError where error.code == .incomplete {
      ingestion.metrics.unreadable(.appCenter)
      throw APIError.incomplete
    } catch let error as IngestError {
      ingestion.metrics.unreadable(.appCenter)
      _ = try await ingestion.commit(Self.unreadable(error, received), app: app, owners: owners)
      return answer(isSuccess: false)
    }
    _ = try await ingestion.commit(read.batch, app: app, owners: owners)
    let isSuccess = !read.batch.events.isEmpty || read.withoutEvent > 0
    return answer(isSuccess: isSuccess, diagnosticsIDs: read.diagnosticsIDs)
  }

  /// Returns a batch that counts an unreadable body as a dropped event of the app.
  ///
  /// Retrying would not make it readable, and a stock client responds to any 4xx by deleting its queue and stopping
  /// until its next launch. The response is therefore App Center's for a request without usable logs, which costs the
  /// client only this request.
  private static func unreadable(_ error: IngestError, _ received: Timestamp) -> IncomingBatch {
    IncomingBatch(
      source: .appCenter, received: received,
      rejections: [
        Rejection(index: error.index ?? 0, reason: "unreadable_\(error.code.rawValue)", message: error.message)
      ])
  }

  private func answerUnknownSecret(_ request: Request) throws -> Response {
    switch unknownSecret {
    case .discard:
      return answer(isSuccess: true)
    case .reject:
      throw BodyReader.closingUnlessHarmless(
        APIError(status: .unauthorized, code: "unknown_app_secret", message: "No app has this App-Secret."), request)
    case .retryLater:
      let seconds = Self.unknownSecretRetryMilliseconds / 1_000
      var error = APIError(
        status: .serviceUnavailable, code: "unknown_app_secret",
        message: "No app has this App-Secret yet; `tern apps create --app-secret` adds one.",
        headers: [.retryAfter: String(seconds)])
      error.headers[.retryAfterMilliseconds] = String(Self.unknownSecretRetryMilliseconds)
      throw BodyReader.closingUnlessHarmless(error, request)
    }
  }

  private func answer(isSuccess: Bool, diagnosticsIDs: [String] = []) -> Response {
    var generator = SystemRandomNumberGenerator()
    var json = JSONWriter(capacity: 160)
    json.raw("{\"status\":")
    json.string(isSuccess ? "Success" : "NoValidLogsFoundInLogContainer")
    json.raw(",\"validDiagnosticsIds\":[")
    for (position, id) in diagnosticsIDs.enumerated() {
      if position > 0 { json.raw(",") }
      json.string(id)
    }
    json.raw("],\"throttledDiagnosticsIds\":[],\"correlationId\":")
    json.identifier(.random(using: &generator))
    json.raw("}")
    return .json(json.bytes)
  }

  /// Adds the delay in the only header that App Center's SDKs read.
  private static func withRetryMilliseconds(_ error: APIError) -> APIError {
    guard error.status == .serviceUnavailable, let seconds = error.headers[.retryAfter].flatMap({ Int($0) }) else {
      return error
    }
    var error = error
    error.headers[.retryAfterMilliseconds] = String(seconds * 1_000)
    return error
  }
}
