import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import NIOCore
import ServerBase
import Symbols
import TernBase
import Threads
import Warehouse

/// `/api/v1/apps/{id}/symbols`: the files that turn positions of crashes into functions and lines.
struct SymbolEndpoints: Sendable {
  let catalog: any SymbolCatalog
  let store: SymbolStore
  /// The number of files that are being received, by app.
  private let running = Locked(ConcurrencyCounts<AppID>())

  private let threads = ThreadPool<AppID>(.uploads)

  /// The files that are received at the same time. Each takes a temporary file, and reading it a processor.
  private static let maximumRunning = 4
  /// Those of one app, so that others have room.
  private static let maximumRunningOfApp = 2
  /// The time for a file: a gigabyte at 2.4 Mbit/s. A file that doesn't progress ends before.
  private static let deadline = Duration.seconds(3_600)

  init(catalog: any SymbolCatalog, store: SymbolStore) { (self.catalog, self.store) = (catalog, store) }

  private static let file = JSONAnswer("SymbolFile", ShownSymbolFile.members)
  private static let limits =
    "A file with symbols: ELF, or Mach-O as in a dSYM; gzip is allowed. Or a zip of such files, as of dSYMs or an archive of "
    + "Xcode. At most 1 GiB, unpacked; the files of a zip 4 GiB. The oldest of an app's files are deleted when they have more "
    + "than 8 GiB. With `version` and `build`, the mapping.txt of R8 or ProGuard, of at most 256 MiB."
  private static let version = "The app's version that this mapping of R8 or ProGuard belongs to."

  /// The answer to an upload: each architecture of each file, and the files of a zip that can't be used.
  private static let uploaded = JSONAnswer<StoredArchive>([
    .shown("symbols", .list(file.schema)) { archive in
      let files = archive.stored.map { ShownSymbolFile($0.file, result: $0.addition, warning: $0.warning) }
      return JSONTree.array(files.map(file.tree))
    },
    .shown(
      "refused",
      .list(.object(["name": .text, "code": .text, "message": .text])).described(
        "The files of a zip that should have symbols, and have none that can be used.")
    ) { archive in JSONTree.array(archive.refused.map(refusal)) },
  ])

  private static func refusal(_ refused: RefusedSymbols) -> JSONTree {
    .object([
      ("name", .text(refused.name)), ("code", .text(refused.error.code.rawValue)),
      ("message", .text(refused.error.message)),
    ])
  }

  func add(to api: EndpointGroup) {
    let symbols = api.group("/apps/:app/symbols", .edit)
    let files = JSONAnswer.list("symbols", of: Self.file)
    symbols.get("", "listSymbols", "The files with symbols of an app, the latest first.", files) { call in
      try catalog.symbols(app: try call.app.id).map { ShownSymbolFile($0) }
    }
    symbols.on(
      .post, "",
      APIOperation(
        "uploadSymbols", "Stores the symbols of a build. They apply to earlier crashes, too.",
        [
          .query("name", .text(0...255).described("The name of the file, for people.")),
          .query("version", .text(0...255).described(Self.version)),
          .query("build", .text(0...255).described("The build of that version.")),
        ],
        body: ["application/octet-stream": .text.described(Self.limits)], answers: Self.uploaded.content,
        errors: [400, 415, 503])
    ) { Self.uploaded.response(try await upload($0.request, $0.context)) }
    symbols.delete(
      "", "deleteMapping", "Deletes the mapping of a version and build of the app.",
      [.query("version", .text(1...255), isRequired: true), .query("build", .text(1...255), isRequired: true)],
      errors: [400]
    ) { call in
      guard let build = try Self.mappedBuild(call.request),
        try catalog.removeSymbols(app: try call.app.id, buildID: build.name)
      else {
        throw APIError.unknown(
          "symbols", "This app has no mapping of this version and build. A GET of the address lists all.")
      }
    }
    symbols.delete(
      "/:build", "deleteSymbols", "Deletes the symbols of a build.", [.path("build", .pattern("^[0-9a-fA-F-]{8,128}$"))]
    ) { call in
      guard let build = call.context.parameters.get("build").flatMap({ BuildIdentifier.normalized($0) }),
        try catalog.removeSymbols(app: try call.app.id, buildID: build)
      else {
        throw APIError.unknown(
          "symbols", "This app has no symbols of this build. A GET of the address without it lists all.")
      }
    }
  }

  /// The version and build whose mapping a request is about; `nil` if it names none.
  private static func mappedBuild(_ request: Request) throws -> MappedBuild? {
    let (version, build) = (request.parameters["version"] ?? "", request.parameters["build"] ?? "")
    guard !version.isEmpty || !build.isEmpty else { return nil }
    do throws(WarehouseError) {
      return try MappedBuild(version: version, build: build)
    } catch {
      throw BodyReader.closingUnlessHarmless(
        APIError(status: .badRequest, code: "invalid", message: error.message), request)
    }
  }

  private func upload(_ request: Request, _ context: CollectorContext) async throws -> StoredArchive {
    let (app, name) = (try context.app.id, request.parameters["name"] ?? "")
    let mapping = try Self.mappedBuild(request)
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
    defer { running.withLock { $0.ended(app) } }
    do {
      return try await withTaskExecutorPreference(threads) {
        try await receive(request, context, isCompressed: encoding == "gzip") { upload in
          try upload.finishAll(app: app, image: name, mapping: mapping)
        }
      }
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
      guard running.total < Self.maximumRunning, running[app] < Self.maximumRunningOfApp else { return false }
      running.began(app)
      return true
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
