import HTTPTypes
import Hummingbird
import NIOCore
import Questions
import Reports
import Warehouse

/// `POST /api/v1/apps/{id}/query`, `/funnel` and so on: questions for programs.
struct QuestionRoutes: Sendable {
  let reader: BodyReader
  let answering: QuestionAnswering
  let catalog: any CollectorCatalog
  let persons: PersonRoutes

  func add(to routes: RouteTable) {
    for kind in Question.Kind.allCases {
      var endpoints: [HTTPRequest.Method: Endpoint] = [
        .post: .api(.permission(kind == .persons ? .readPersonalData : .read)) { try await answer(kind, $0, $1) }
      ]
      if kind == .persons { endpoints[.delete] = persons.deletion }
      routes.on("/api/v1/apps/:app/\(kind.rawValue)", endpoints)
    }
  }

  private func answer(
    _ kind: Question.Kind, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    let format = try format(request)
    // The body's room in the budget of ingestion is given back before the question waits for its turn.
    let body = try await reader.read(request, context, limit: JSONTree.maximumBytes).bytes
    do {
      let question = try Question(
        kind, json: Array(body.readableBytesView), segments: try catalog.segmentFilters(app: try context.app.id))
      return .answer(try await answering.answer(question, context), format)
    } catch let error as QuestionError {
      throw APIError(error)
    }
  }

  private func format(_ request: Request) throws -> AnswerFormat {
    do {
      return try AnswerFormat(parsing: request.parameters["format"].flatMap { $0.isEmpty ? nil : $0 } ?? "json")
    } catch {
      throw APIError(status: .badRequest, code: error.code.description, message: error.message)
    }
  }
}

extension Response {
  /// Creates a response with an answer. Large answers are written in parts, so that they are never in memory twice.
  static func answer(_ answered: AnsweredQuestion, _ format: AnswerFormat, headers: HTTPFields = [:]) -> Response {
    var headers = headers
    headers[.contentType] = format.contentType
    headers[.cacheControl] = "no-store"
    var parts = answered.document(format).makeIterator()
    let first = ByteBuffer(bytes: parts.next() ?? [])
    guard let second = parts.next() else {
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: first))
    }
    let rest = parts
    let body = ResponseBody { writer in
      try await writer.write(first)
      try await writer.write(ByteBuffer(bytes: second))
      try await write(rest, to: &writer)
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  @concurrent private static func write(
    _ parts: AnswerDocument.Iterator, to writer: inout any ResponseBodyWriter
  ) async throws {
    var parts = parts
    while let part = parts.next() { try await writer.write(ByteBuffer(bytes: part)) }
  }
}
