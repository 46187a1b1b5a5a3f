import HTTPTypes
import Ingest
import Questions
import Reports

extension APIDescription {
  /// One operation for each kind of question.
  static let questions: [APIOperation] = Question.Kind.allCases.map { kind in
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/\(kind.rawValue)", name: kind.rawValue,
      summary: kind.definition.summary, parameters: [app, .query("format", .choice(AnswerFormat.self))],
      body: ["application/json": .named("\(kind.schemaName)Question")],
      answers: [
        "application/json": .anyOf(.named("\(kind.schemaName)Answer"), .named("Rows")), "text/csv": .text,
        "application/x-ndjson": .text,
      ],
      errors: [400, 404, 413, 422, 503])
  }

  /// The rows of single persons.
  static let people: [APIOperation] = ["install", "user"].map { person in
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/\(person)s/{\(person)}/events", name: "\(person)Events",
      summary: "The rows of one \(person), newest first.",
      parameters: [
        app, .path(person, .text(1...768)),
        .query("before", .pattern("^[0-9]{1,13}-[0-9]{1,15}$").described("`next` of the answer before.")),
      ],
      answers: ["application/json": .named("Trail")], errors: [400, 404, 503])
  }

  /// The schemas of questions and their answers; docs/questions.md has the meaning.
  static let questionSchemas: Schema.Members =
    Question.schemas + [
      "Rows": .list(.object([:], others: .value)).described("Flat rows, for `format=rows`."),
      "Trail": .object([
        "results": .list(.named("Row")), "meta": .object(["next": .nullable(.text)]),
      ]),
      "Row": .object([
        "id": .count, "kind": .text, "time": .nullable(.time), "received": .nullable(.time),
        "name": .nullable(.text), "user": .nullable(.text), "version": .nullable(.text), "os": .nullable(.text),
        "model": .nullable(.text), "country": .nullable(.text), "language": .nullable(.text),
        "session": .nullable(.text), "startsSession": .boolean,
        "properties": .object([:], others: .anyOf(.text, .number, .boolean, .null)),
      ]),
    ]
}
