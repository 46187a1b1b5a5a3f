import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import Symbols
import TernBase
import Threads
import Warehouse

/// `/api/v1/apps/{id}/symbols`: the files that turn positions of crashes into functions and lines.
struct SymbolRoutes: Sendable {
  let catalog: any SymbolCatalog
  let store: SymbolStore
  /// The number of files that are being received, by app.
  private let running = Locked<[AppID: Int]>([:])

  /// Files are unpacked, hashed, written and synced on threads of their own.
  private let threads = ThreadPool<AppID>(name: "uploads", count: 2)

  /// The files that are received at the same time. Each takes a temporary file, and reading it a processor.
  private static let maximumRunning = 4
  /// Those of one app, so that others have room.
  private static let maximumRunningOfApp = 2
  /// The time for a file: a gigabyte at 2.4 Mbit/s.
  private static let deadline = Duration.seconds(3_600)

  init(catalog: any SymbolCatalog, store: SymbolStore) { (self.catalog, self.store) = (catalog, store) }

  func add(to routes: RouteTable) {
    routes.on(
      "/api/v1/apps/:app/symbols",
      [
        .get: .api(.permission(.edit)) { _, context in try list(context) },
        .post: .api(.permission(.edit)) { try await upload($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/symbols/:build",
      [.delete: .api(.permission(.edit)) { _, context in try remove(context) }])
  }

  private func list(_ context: CollectorContext) throws -> Response {
    try .json(encoding: ["symbols": try catalog.symbols(app: try context.app.id).map { SymbolDescription($0) }])
  }

  private func remove(_ context: CollectorContext) throws -> Response {
    guard let build = context.parameters.get("build").flatMap({ BuildIdentifier.normalized($0) }),
      try catalog.removeSymbols(app: try context.app.id, buildID: build)
    else {
      throw APIError(
        status: .notFound, code: "unknown_symbols",
        message: "This app has no symbols of this build. A GET of the address without it lists all.")
    }
    return Response(status: .noContent)
  }

  private func upload(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let (app, name) = (try context.app.id, request.parameters["name"] ?? "")
    let encoding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
    guard ["gzip", "identity"].contains(encoding) else {
      throw BodyReader.closingUnlessHarmless(
        APIError(
          status: .unsupportedMediaType, code: "unsupported_encoding",
          message: "The file must be sent as it is, or with Content-Encoding: gzip."), request)
    }
    guard begin(app) else {
      throw BodyReader.closingUnlessHarmless(
        APIError(
          status: .serviceUnavailable, code: "too_many_uploads",
          message: "The server is receiving other files. Send this one in a minute.", headers: [.retryAfter: "60"]),
        request)
    }
    defer { end(app) }
    do {
      let stored = try await withTaskExecutorPreference(threads) {
        try await receive(request, context, isCompressed: encoding == "gzip") { upload in
          try upload.finish(app: app, image: name)
        }
      }
      return try .json(encoding: ["symbols": stored.map { SymbolDescription($0.file, result: $0.addition) }])
    } catch let error as ObjectError {
      throw APIError(status: .badRequest, code: error.code.rawValue, message: error.message)
    } catch let error as WarehouseError where error.code == .invalid {
      throw APIError(
        status: .badRequest, code: "invalid", message: error.message, headers: [.connection: "close"])
    } catch let error as WarehouseError where error.code == .full {
      throw APIError(
        status: .serviceUnavailable, code: "full", message: error.message, headers: [.connection: "close"])
    }
  }

  /// Counts a file that is being received; returns false if there are too many.
  private func begin(_ app: AppID) -> Bool {
    running.withLock { running in
      let count = running[app] ?? 0
      guard running.values.reduce(0, +) < Self.maximumRunning, count < Self.maximumRunningOfApp else { return false }
      running[app] = count + 1
      return true
    }
  }

  private func end(_ app: AppID) {
    running.withLock { running in
      let count = running[app] ?? 0
      running[app] = count > 1 ? count - 1 : nil
    }
  }

  /// Receives a file, without holding it in memory.
  private func receive<Value>(
    _ request: Request, _ context: CollectorContext, isCompressed: Bool, _ body: (SymbolUpload) throws -> Value
  ) async throws -> Value {
    let upload = try store.receive(isCompressed: isCompressed)
    context.channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(deadline: Self.deadline), promise: nil)
    var bytes = 0
    do {
      for try await part in request.body {
        bytes += part.readableBytes
        try part.withUnsafeReadableBytes { try upload.append($0) }
      }
    } catch let error as WarehouseError {
      throw error
    } catch {
      throw APIError.incomplete
    }
    let declared = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard bytes >= declared else { throw APIError.incomplete }
    return try body(upload)
  }
}

/// A file with symbols in JSON.
private struct SymbolDescription: Encodable {
  private let buildId: String
  private let architecture: String
  private let image: String
  private let sha256: String
  private let bytes: Int
  private let hasLines: Bool
  private let author: String
  private let uploaded: String
  private let result: String?

  init(_ file: SymbolFile, result: SymbolFile.Addition? = nil) {
    (buildId, architecture, image, sha256) = (file.buildID, file.architecture, file.image, file.hash)
    (bytes, hasLines, author) = (file.bytes, file.hasLines, file.author)
    uploaded = file.uploaded.utcText(withMilliseconds: false)
    self.result = result?.rawValue
  }
}
