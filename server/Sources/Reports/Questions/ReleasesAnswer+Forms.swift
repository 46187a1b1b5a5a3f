import JSON
import Questions
import Warehouse

extension ReleasesAnswer.Release {
  /// The share of each day's users; `nil` for days without users.
  package func adoption(dayUsers all: [Int]) -> [Double?] {
    zip(dayUsers, all).map { $1 == 0 ? nil : Double($0) / Double($1) }
  }

  func json(dayUsers: [Int]) -> JSONTree {
    let adoption = adoption(dayUsers: dayUsers).map { $0.map { JSONTree.number($0) } ?? .null }
    let own: [(String, JSONTree)] = [
      ("version", .text(version)), ("first_day", (firstDay?.description).map { .text($0) } ?? .null),
      ("adoption", .array(adoption)), ("new_errors", .array(newErrors.map { .integer($0) })),
    ]
    return .object(own + figures.members + [("compared", comparison?.json ?? .null)])
  }
}

extension ReleasesAnswer.Figures {
  fileprivate var members: [(String, JSONTree)] {
    [
      ("users", .integer(users)), ("sessions", .integer(sessions)), ("crash_free_users", crashFreeUsers.json),
      ("crash_free_sessions", crashFreeSessions.json), ("conversions", .array(conversions.map(\.json))),
    ]
  }

  /// The figures that have bounds, in the order of columns.
  fileprivate var bounded: [ReleasesAnswer.Conversion] {
    [.share(crashFreeUsers), .share(crashFreeSessions)] + conversions
  }
}

extension ReleasesAnswer.Comparison {
  fileprivate var json: JSONTree {
    .object([
      ("previous", .text(previous)), ("days", .integer(days)), ("release", .object(release.members)),
      ("before", .object(before.members)),
      (
        "differences",
        .object([
          ("crash_free_users", crashFreeUsers?.json ?? .null),
          ("crash_free_sessions", crashFreeSessions?.json ?? .null),
          ("conversions", .array(conversions.map { $0?.json ?? .null })),
        ])
      ),
    ])
  }

  fileprivate var differences: [Difference?] { [crashFreeUsers, crashFreeSessions] + conversions }
}

extension JSONTree {
  fileprivate static func figure(_ value: Double?) -> JSONTree { value.map { .number($0) } ?? .null }

  fileprivate static func bounds(_ interval: Interval?) -> [(String, JSONTree)] {
    [("low", .figure(interval?.low)), ("high", .figure(interval?.high))]
  }
}

extension Share {
  fileprivate var json: JSONTree {
    .object(
      [("part", .integer(part)), ("of", .integer(whole)), ("value", .figure(value))] + JSONTree.bounds(interval)
        + [("few", .boolean(isFew))])
  }
}

extension Mean {
  fileprivate var json: JSONTree {
    .object(
      [("sum", .integer(sum)), ("users", .integer(users)), ("value", .figure(value))] + JSONTree.bounds(interval)
        + [("few", .boolean(isFew))])
  }
}

extension Difference {
  fileprivate var json: JSONTree {
    .object([("value", .number(value))] + JSONTree.bounds(interval) + [("is_clear", .boolean(isClear))])
  }
}

extension ReleasesAnswer.Conversion {
  fileprivate var json: JSONTree {
    switch self {
    case .share(let share): share.json
    case .mean(let mean): mean.json
    }
  }
}

extension AnswerTable {
  /// One row for each release: its figures, then those at equal age.
  static func releases(_ question: ReleasesQuestion, _ answer: ReleasesAnswer) -> AnswerTable {
    let names =
      ["crash_free_users", "crash_free_sessions"] + question.conversions.indices.map { "conversion_\($0 + 1)" }
    let columns =
      ["version", "first_day", "adoption", "users", "sessions", "new_errors"]
      + names.flatMap { [$0, "\($0):low", "\($0):high", "\($0):few"] }
      + ["previous", "days", "release:users", "before:users", "release:sessions", "before:sessions"]
      + names.flatMap {
        ["release:\($0)", "before:\($0)", "difference:\($0)", "difference:\($0):low", "difference:\($0):high"]
      }
    let lastDay = answer.dayUsers.lastIndex { $0 > 0 }
    return AnswerTable(columns, answer.releases.count) { index in
      let release = answer.releases[index]
      let own: [Cell] =
        [.text(release.version), Cell(release.firstDay?.description)]
        + [Cell(fraction: lastDay.flatMap { release.adoption(dayUsers: answer.dayUsers)[$0] })]
        + [release.figures.users, release.figures.sessions, release.newErrors.count].map { .integer($0) }
        + release.figures.bounded.prefix(names.count).flatMap { figure in
          [figure.value, figure.interval?.low, figure.interval?.high].map { Cell(fraction: $0) }
            + [figure.isFew ? .text("few") : .missing]
        }
      guard let comparison = release.comparison else {
        return own + Array(repeating: .missing, count: columns.count - own.count)
      }
      let (current, before) = (comparison.release, comparison.before)
      let counts = [comparison.days, current.users, before.users, current.sessions, before.sessions]
      let bounded = zip(zip(current.bounded, before.bounded), comparison.differences.prefix(names.count))
      return own + [.text(comparison.previous)] + counts.map { .integer($0) }
        + bounded.flatMap { figures, difference in
          [
            figures.0.value, figures.1.value, difference?.value, difference?.interval.low, difference?.interval.high,
          ].map { Cell(fraction: $0) }
        }
    }
  }
}
