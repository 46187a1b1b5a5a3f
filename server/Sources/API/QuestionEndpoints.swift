import Answering
import HTTP
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Questions
import Reports
import Warehouse

/// `POST /api/v1/apps/{app}/query`, `/funnel` and so on: questions for programs.
struct QuestionEndpoints: Sendable {
  let reader: BodyReader
  let answering: QuestionAnswering
  let catalog: any CollectorCatalog

  /// The parameter that allows values which no row has ever had.
  static let unknown = APIOperation.Parameter.query(
    "unknown", .choice(["allow"]).described("Answers although a value has never occurred."))
  private static let rows = Schema.list(.object([:], others: .value)).described("Flat rows, for `format=rows`.")
    .named("Rows")

  func add(to api: EndpointGroup) {
    for kind in Question.Kind.allCases {
      api.group("/apps/:app", kind == .persons ? .readPersonalData : .read).on(
        .post, "/\(kind.rawValue)",
        APIOperation(
          kind.rawValue, kind.definition.summary,
          [.query("format", .choice(AnswerFormat.self))] + APIOperation.Parameter.csv + [Self.unknown],
          body: ["application/json": .named("\(kind.schemaName)Question")],
          answers: [
            "application/json": .anyOf(.named("\(kind.schemaName)Answer"), Self.rows), "text/csv": .text,
            "application/x-ndjson": .text,
          ],
          errors: [400, 413, 422, 503])
      ) { try await answer(kind, $0.request, $0.context) }
    }
  }

  private func answer(
    _ kind: Question.Kind, _ request: Request, _ context: CollectorContext
  ) async throws -> Response {
    let (app, format, csv) = (try context.app, try format(request), try request.csvStyle())
    // The body's room in the budget of ingestion is given back before the question waits for its turn.
    let body = Array(try await reader.read(request, context, limit: JSONTree.maximumBytes).bytes.readableBytesView)
    do {
      let question = try Question(kind, json: body, segments: try catalog.segmentFilters(app: app.id))
      try await answering.checkKnown(try JSONTree(parsing: body), request, context)
      let answered = try await answering.answer(question, context)
      return .answer(answered, format, csv, named: answered.fileName(of: app, [kind.rawValue], format))
    } catch let error as QuestionError {
      throw APIError(error)
    }
  }

  private func format(_ request: Request) throws -> AnswerFormat {
    do {
      return try AnswerFormat(parsing: request.parameters["format"].flatMap { $0.isEmpty ? nil : $0 } ?? "json")
    } catch {
      throw APIError(status: .badRequest, code: error.code.rawValue, message: error.message)
    }
  }
}
