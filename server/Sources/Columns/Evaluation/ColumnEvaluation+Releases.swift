import Ingest
import Questions
import ServerBase
import Warehouse

/// The users of days, by version, of all rows and of those that pass the filters of a question.
private struct ReleaseUse {
  var history = ReleaseHistory()
  /// The users of each day of the range.
  var dayUsers: [Day: Int] = [:]
  /// The users of each day and version of the range; `nil` for no version.
  var versionUsers: [ExactText?: [Day: Int]] = [:]

  mutating func add(_ users: Int, _ day: Day, _ version: ExactText??) {
    if let version { versionUsers[version, default: [:]][day] = users } else { dayUsers[day] = users }
  }
}

extension ColumnEvaluation {
  func answer(_ question: ReleasesQuestion) throws -> ReleasesAnswer {
    let days = question.scope.range.resolved(today: today)
    let use = try use(question, days)
    let starts = use.history.releases()
    let shown = Array(
      starts.indices.filter { use.history.wasUsed(starts[$0].version, in: days) }.prefix(question.limit))
    let pairs = shown.map { index in
      question.windows(starts[index], starts.indices.contains(index + 1) ? starts[index + 1] : nil, today: today)
    }
    let ranges = shown.map { ReleaseWindow(starts[$0].version, days) }
    let figures = try figures(
      Set(ranges + pairs.compactMap { $0 }.flatMap { [$0.release, $0.before] }), question)
    let newErrors = try newErrors(question, days, Set(ranges.map(\.version)))
    let labels = hours.withCalendar { $0.numbers(of: .day, in: days) }.map { Day(number: $0) }
    let releases = zip(shown, zip(ranges, pairs)).map { index, windows in
      let start = starts[index]
      return ReleasesAnswer.Release(
        version: start.version.text, firstDay: start.firstDay,
        dayUsers: labels.map { use.versionUsers[start.version]?[$0] ?? 0 },
        figures: figures[windows.0] ?? .none, newErrors: newErrors[start.version] ?? [],
        comparison: windows.1.map { pair in
          ReleasesAnswer.Comparison(
            previous: pair.before.version.text,
            days: pair.release.days.lowerBound.distance(to: pair.release.days.upperBound) + 1,
            previousFirstDay: pair.before.days.lowerBound, release: figures[pair.release] ?? .none,
            before: figures[pair.before] ?? .none)
        })
    }
    let versions = Set(ranges.map(\.version))
    let others = use.versionUsers.filter { version, _ in version.map { !versions.contains($0) } ?? true }
    return ReleasesAnswer(
      releases: releases, days: labels.map(\.description), dayUsers: labels.map { use.dayUsers[$0] ?? 0 },
      otherUsers: labels.map { day in others.values.reduce(0) { $0 + ($1[day] ?? 0) } })
  }

  /// The most days of all users that are counted at a time: those of each day and version are in memory.
  private static let daysAtATime = 28

  private func use(_ question: ReleasesQuestion, _ days: ClosedRange<Day>) throws -> ReleaseUse {
    var use = ReleaseUse()
    let (scope, isFiltered) = (question.scope, !question.scope.filters.isEmpty)
    let first = days.lowerBound.advanced(by: -ReleaseHistory.daysBefore)
    // Releases are those of all users, whichever rows the question is about.
    for start in stride(from: first.number, through: days.upperBound.number, by: Self.daysAtATime) {
      let slice = Day(number: start)...min(Day(number: start + Self.daysAtATime - 1), days.upperBound)
      try forEachDay([], scope.person, slice) { day, version, users in
        if let version {
          if let version { use.history.add(users, of: version, on: day) }
        } else {
          use.history.add(users, on: day)
        }
        if !isFiltered, days.contains(day) { use.add(users, day, version) }
      }
    }
    // One question, since its filters may count what persons have done in its range.
    if isFiltered { try forEachDay(scope.filters, scope.person, days) { use.add($2, $0, $1) } }
    return use
  }

  /// Calls `body` with the users of each day, and of each day and version; the version is `nil` for all, and may be unknown.
  private func forEachDay(
    _ filters: [QuestionFilter], _ person: PersonKey, _ days: ClosedRange<Day>,
    _ body: (Day, _ version: ExactText??, _ users: Int) -> Void
  ) throws {
    let scope = QuestionScope(range: .dates(days.lowerBound, days.upperBound), filters: filters, person: person)
    let queries = [[QuestionDimension.time(.day)], [.time(.day), .version]].map { groups in
      (question: QueryQuestion(scope: scope, metrics: [.plain(.users)], groups: groups.map { .init($0) }), days: days)
    }
    for figures in try figures(queries) {
      for cell in figures.cells {
        guard let day = cell.dimensions[0]?.text.flatMap({ Day($0) }), let users = cell.metrics[0] else { continue }
        let version: ExactText?? =
          cell.dimensions.count == 2 ? .some(cell.dimensions[1]?.text.map { ExactText($0) }) : nil
        body(day, version, Int(users))
      }
    }
  }

  private func figures(
    _ windows: Set<ReleaseWindow>, _ question: ReleasesQuestion
  ) throws -> [ReleaseWindow: ReleasesAnswer.Figures] {
    let windows = Array(windows)
    let crash = QuestionFilter.isOneOf(.kind, [.text(QuestionKind.crash.rawValue)])
    let queries = windows.flatMap { window in
      [[], [crash]].map { filters in
        var scope = window.scope(question.scope)
        scope.filters += filters
        return (
          question: QueryQuestion(scope: scope, metrics: [.plain(.users), .plain(.sessions)]), days: window.days
        )
      }
    }
    let counts = try figures(queries).map { figures in
      (figures.cells.first?.metrics ?? figures.empty).map { Int($0 ?? 0) }
    }
    var found = windows.indices.map { index in
      let (all, crashed) = (counts[2 * index], counts[2 * index + 1])
      return ReleasesAnswer.Figures(
        users: all[0], crashedUsers: crashed[0], sessions: all[1], crashedSessions: crashed[1], conversions: [])
    }
    for conversion in question.conversions {
      let rows = try windows.map { window in
        let scope = window.scope(question.scope)
        return ReleaseRows(
          condition: try condition(scope.filters, window.days), range: DayRange(window.days))
      }
      let results =
        switch conversion {
        case .funnel(let funnel): try shares(funnel, rows)
        case .perUser(let selector): try means(selector, rows, users: found.map(\.users))
        }
      for (index, result) in results.enumerated() { found[index].conversions.append(result) }
    }
    return Dictionary(uniqueKeysWithValues: zip(windows, found))
  }

  /// Returns the error groups that are new in some versions: whose first error ever is of the version and lies
  /// in the range, and that have an error of the version in the range that passes the filters.
  private func newErrors(
    _ question: ReleasesQuestion, _ days: ClosedRange<Day>, _ versions: Set<ExactText>
  ) throws -> [ExactText: [Int]] {
    let first = try names.firstErrors()
    let groups = Dictionary(first.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var newIn: [Int64: ExactText] = [:]
    for (error, version) in try self.versions(of: groups.keys.sorted(), .always, days) {
      if let version, versions.contains(version), let group = groups[error] { newIn[group] = version }
    }
    if !question.scope.filters.isEmpty {
      var groupOfError: [Int64: Int64] = [:]
      for group in newIn.keys {
        for error in try names.errors(ofGroup: group) { groupOfError[error] = group }
        try limits.check(groupOfError.count * 48)
      }
      var passing: Set<Int64> = []
      let condition = try condition(question.scope.filters, days)
      for (error, version) in try self.versions(of: groupOfError.keys.sorted(), condition, days) {
        if let group = groupOfError[error], newIn[group] == version { passing.insert(group) }
      }
      newIn = newIn.filter { passing.contains($0.key) }
    }
    return Dictionary(grouping: newIn.keys) { newIn[$0] ?? ExactText("") }.mapValues { $0.map { Int($0) }.sorted() }
  }

  /// Returns the errors among some, given in order, that pass and lie in the range, each with its version.
  private func versions(
    of errors: [Int64], _ condition: RowCondition, _ days: ClosedRange<Day>
  ) throws -> [(error: Int64, version: ExactText?)] {
    guard !errors.isEmpty else { return [] }
    try limits.check(errors.count * 32)
    let condition = RowCondition.all([.rows(errors), condition])
    let parts = try inParts(of: DayRange(days)) {
      (errors: GrowingMemory<Int64>(), numbers: GrowingMemory<Int>(), versions: ValueNumbers(.version))
    } body: { [self] part, cursor, range in
      guard !cursor.chunk.places(in: errors).isEmpty else { return }
      let version = ChunkValues(cursor.column(.version), part.versions)
      try select(condition, range, cursor) { rows in
        for row in rows {
          part.errors.append(cursor.chunk.id(Int(row)))
          part.numbers.append(version.number(Int(row)))
        }
      }
    }
    return try parts.flatMap { part in
      try zip(part.errors.elements, part.numbers.elements).map { error, number in
        (error, try part.versions.value(number, names)?.text.map { ExactText($0) })
      }
    }
  }
}

extension ReleasesAnswer.Figures {
  fileprivate static let none = ReleasesAnswer.Figures(
    users: 0, crashedUsers: 0, sessions: 0, crashedSessions: 0, conversions: [])
}
