import HTTP
import HTTPTypes
import Hummingbird
import Ingest
import JSON
import NIOCore
import TernEvents

/// `GET|POST /debug/collect`: reports the problems of a hit without storing it.
struct MeasurementDebugEndpoints: Sendable {
  let ingestion: Ingestion
  let limits: IngestLimits

  private static let message = Schema.object(
    ["messageType": .text, "description": .text], optional: ["messageCode": .text, "parameter": .text])
  private static let check = Schema.object([
    "hitParsingResult": .list(.object(["valid": .boolean, "parserMessage": .list(message), "hit": .text])),
    "parserMessage": .list(message),
  ]).named("HitCheck")

  func add(to root: EndpointGroup) {
    let (path, summary) = ("/debug/collect", "Checks a hit without storing it.")
    let answers: Schema.Members = ["application/json": Self.check]
    root.on(.get, path, MeasurementEndpoints.get("debug_get", summary, answers), isProtocol: true) {
      try await get($0.request, $0.context)
    }
    root.on(.post, path, MeasurementEndpoints.post("debug_post", summary, answers), isProtocol: true) {
      try await post($0.request, $0.context)
    }
    MeasurementEndpoints.addPreflight(path, "debug", to: root)
  }

  private func get(_ request: Request, _ context: CollectorContext) async throws -> Response {
    return try await answer(ingestion.reader.query(request, context), encoding: nil)
  }

  private func post(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let encoding = try ingestion.encoding(of: request)
    var body = try await ingestion.reader.read(request, context, limit: limits.maximumBodyBytes)
    if body.bytes.readableBytes == 0, let query = request.uri.query { body.bytes = ByteBuffer(string: query) }
    return try await answer(body, encoding: encoding)
  }

  private func answer(_ body: BodyReader.Body, encoding: String?) async throws -> Response {
    let limits = limits
    var response: Response
    do {
      let json = try await ingestion.parse(body, encoding: encoding, limits: limits) { bytes in
        Self.json(
          MeasurementValidation(bytes, limits: limits), hit: String(decoding: bytes.prefix(16_384), as: UTF8.self))
      }
      response = .json(json)
    } catch let error as IngestError {
      // Not logged: anyone can send damaged bodies here, without a key.
      response = APIError(error, limit: limits.maximumDecompressedBytes).response
    }
    response.headers[.accessControlAllowOrigin] = "*"
    return response
  }

  private static func json(_ validation: MeasurementValidation, hit: String) -> [UInt8] {
    var json = JSONWriter(capacity: 1_024)
    json.raw("{\"hitParsingResult\":[{\"valid\":")
    if validation.isValid { json.raw("true") } else { json.raw("false") }
    json.raw(",\"parserMessage\":[")
    for (index, message) in validation.messages.enumerated() {
      if index > 0 { json.raw(",") }
      json.raw("{\"messageType\":")
      json.string(message.type)
      json.raw(",\"description\":")
      json.string(message.description)
      json.raw(",\"messageCode\":")
      json.string(message.code)
      json.raw(",\"parameter\":")
      json.string(message.parameter)
      json.raw("}")
    }
    json.raw("],\"hit\":")
    json.string("/debug/collect?" + hit)
    json.raw(
      "}],\"parserMessage\":[{\"messageType\":\"INFO\",\"description\":\"Found 1 hit in the request.\"}]}")
    // As in Google's response. `&` occurs nowhere else in the text.
    return json.bytes.flatMap { $0 == UInt8(ascii: "&") ? Array("\\u0026".utf8) : [$0] }
  }
}
