package import JSON

extension Schema {
  private static let figure = nullable(.number)
  private static let figures = list(figure)
  /// A value of a dimension, or none.
  package static let value = anyOf(.text, .number, .null)
  private static let node = anyOf(.object(["screen": value]), .object(["event": value]))

  static let queryAnswer = answer(
    .object(["dimensions": .list(value), "metrics": figures], optional: ["compared": figures]),
    meta: ["time_labels": .list(.text), "total_rows": .count], more: ["totals": figures, "compared_totals": figures])

  static let funnelAnswer = answer(
    .object([
      "breakdown": value,
      "steps": .list(
        .object([
          "persons": .count, "from_first": figure, "from_previous": figure, "median_seconds": figure,
          "average_seconds": figure,
        ])),
    ]))

  static let retentionAnswer = answer(
    .object(["cohort": .text, "breakdown": value, "partial": .boolean, "values": .list(.count)]),
    meta: ["partial": .list(.text)])

  static let pathsAnswer = answer(
    .object(["step": .count, "from": node, "to": node, "sessions": .count]),
    more: ["other": .list(.count), "ended": .list(.count)])

  static let lifecycleAnswer = answer(
    .object(["interval": .text, "new": .count, "returning": .count, "resurrected": .count, "dormant": .count]))

  static let stickinessAnswer = answer(.object(["intervals": .count, "persons": .count]))

  static let personsAnswer = answer(
    .object([
      "install": .text, "user": .nullable(.text), "first_seen": .time, "last_seen": .time, "events": .count,
      "sessions": .count, "version": .nullable(.text), "model": .nullable(.text), "country": .nullable(.text),
    ]), meta: ["total": .count, "next": .nullable(.text)])

  private static let share = object([
    "part": .count, "of": .count, "value": figure, "low": figure, "high": figure, "few": .boolean,
  ])
  private static let mean = object([
    "sum": .count, "users": .count, "value": figure, "low": figure, "high": figure, "few": .boolean,
  ])
  private static let difference = object(["value": figure, "low": figure, "high": figure, "is_clear": .boolean])
  private static let releaseFigures: Members = [
    "users": .count, "sessions": .count, "crash_free_users": share, "crash_free_sessions": share,
    "conversions": .list(.anyOf(share, mean)),
  ]

  static let releasesAnswer = answer(
    .object(
      ["version": .text, "first_day": .nullable(.date), "adoption": figures, "new_errors": .list(.count)]
        + releaseFigures
        + [
          "compared": nullable(
            .object([
              "previous": .text, "days": .count, "release": .object(releaseFigures), "before": .object(releaseFigures),
              "differences": .object([
                "crash_free_users": nullable(difference), "crash_free_sessions": nullable(difference),
                "conversions": .list(nullable(difference)),
              ]),
            ]))
        ]), meta: ["days": .list(.date), "day_users": .list(.count), "other_users": .list(.count)])

  /// The answer to a question, with its results, facts and the question.
  static func answer(_ result: Schema, meta: Members = [:], more: Members = [:]) -> Schema {
    .object(
      [
        "results": .list(result),
        "meta": .object(
          [
            "rows_read": .count.described("The number of rows that the question read."), "milliseconds": .count,
          ],
          optional: meta + [
            "rows_left_out": .count.described("The number of rows after these, beyond the limit; absent for none."),
            "rows_kept_since": .date.described("The first day whose rows are kept."),
            "notes": .list(.text).described("Sentences without which the figures would be misread; absent for none."),
          ]),
        "query": .object.described("The question as understood, with its range as dates."),
      ], optional: more)
  }
}
