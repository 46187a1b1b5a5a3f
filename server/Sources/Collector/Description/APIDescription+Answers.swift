import HTTPTypes
import Ingest
import Questions

extension APIDescription {
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

  /// The schemas of answers.
  static let answerSchemas: Schema.Members = [
    "QueryAnswer": answer(
      .object(["dimensions": .list(value), "metrics": figures], optional: ["compared": figures]),
      meta: ["time_labels": .list(.text), "total_rows": .count],
      more: ["totals": figures, "compared_totals": figures]),
    "FunnelAnswer": answer(
      .object([
        "breakdown": value,
        "steps": .list(
          .object([
            "persons": .count, "from_first": figure, "from_previous": figure, "median_seconds": figure,
            "average_seconds": figure,
          ])),
      ])),
    "RetentionAnswer": answer(
      .object(["cohort": .text, "breakdown": value, "values": .list(.count)]), meta: ["partial": .list(.text)]),
    "PathsAnswer": answer(
      .object(["step": .count, "from": node, "to": node, "sessions": .count]),
      more: ["other": .list(.count), "ended": .list(.count)]),
    "LifecycleAnswer": answer(
      .object(["interval": .text, "new": .count, "returning": .count, "resurrected": .count, "dormant": .count])),
    "StickinessAnswer": answer(.object(["intervals": .count, "persons": .count])),
    "PersonsAnswer": answer(
      .object([
        "install": .text, "user": .nullable(.text), "first_seen": .time, "last_seen": .time, "events": .count,
        "sessions": .count, "version": .nullable(.text), "model": .nullable(.text), "country": .nullable(.text),
      ]), meta: ["total": .count, "next": .nullable(.text)]),
    "Rows": .list(.object([:], others: value)).described("Flat rows, for `format=rows`."),
    "Trail": .object([
      "results": .list(.named("Row")), "meta": .object(["next": .nullable(.text)]),
    ]),
    "Row": .object([
      "id": .count, "kind": .text, "time": .nullable(.time), "received": .nullable(.time),
      "name": .nullable(.text), "user": .nullable(.text), "version": .nullable(.text), "os": .nullable(.text),
      "model": .nullable(.text), "country": .nullable(.text), "language": .nullable(.text),
      "session": .nullable(.text), "starts_session": .boolean,
      "properties": .object([:], others: .anyOf(.text, .number, .boolean, .null)),
    ]),
  ]

  private static let figure = Schema.nullable(.number)
  private static let figures = Schema.list(figure)
  private static let value = Schema.anyOf(.text, .number, .null)
  private static let node = Schema.anyOf(.object(["screen": value]), .object(["event": value]))

  private static func answer(_ result: Schema, meta: Schema.Members = [:], more: Schema.Members = [:]) -> Schema {
    .object(
      [
        "results": .list(result),
        "meta": .object(
          [
            "rows_read": .count.described("The number of rows that the question read."), "milliseconds": .count,
          ], optional: meta), "query": .object.described("The question as understood, with its range as dates."),
      ], optional: more)
  }
}
