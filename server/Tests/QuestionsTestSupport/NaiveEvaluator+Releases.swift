import Ingest
package import Questions
import Warehouse

extension NaiveEvaluator {
  /// Answers a question about releases: looks at all rows for each figure.
  package func answer(_ question: ReleasesQuestion) -> ReleasesAnswer {
    let (days, key) = (question.scope.range.resolved(today: today), question.scope.person)
    let known = rows.filter { isIn(days.lowerBound.advanced(by: -180)...days.upperBound, $0) }
    let spread = Set(known.compactMap(version))
      .filter { version in known.contains { self.version($0) == version && isSpread(version, on: day($0), key) } }
      .sorted { AppVersion.isOrdered($1.text, before: $0.text) }
    let used = spread.filter { version in known.contains { self.version($0) == version && isIn(days, $0) } }
    let shown = used.prefix(question.limit)
    let passing = passing(question.scope, in: days)
    let dates = calendar.numbers(of: .day, in: days).map { Day(number: $0) }
    func users(_ day: Day, _ isCounted: (ExactText?) -> Bool) -> Int {
      Set(passing.filter { self.day($0) == day && isCounted(version($0)) }.map { $0.person(key) }).count
    }
    let others = Set(passing.map(version)).filter { version in version.map { !shown.contains($0) } ?? true }
    return ReleasesAnswer(
      releases: shown.map { version in
        let start = firstDay(version, known, key)
        let place = spread.firstIndex(of: version) ?? 0
        return ReleasesAnswer.Release(
          version: version.text, firstDay: start, dayUsers: dates.map { users($0) { $0 == version } },
          figures: figures(of: version, days, question), newErrors: newErrors(version, passing, days),
          comparison: place + 1 < spread.count
            ? comparison(version, start, spread[place + 1], firstDay(spread[place + 1], known, key), question) : nil)
      }, days: dates.map(\.description), dayUsers: dates.map { users($0) { _ in true } },
      otherUsers: dates.map { day in others.reduce(0) { sum, other in sum + users(day) { $0 == other } } })
  }

  private func version(_ row: QuestionRow) -> ExactText? {
    row.value(.version, calendar)?.text.map { ExactText($0) }
  }

  private func day(_ row: QuestionRow) -> Day { calendar.day(of: row.time) }

  /// Returns true if at least one in a hundred of a day's persons used a version.
  private func isSpread(_ version: ExactText, on day: Day, _ key: PersonKey) -> Bool {
    let all = rows.filter { self.day($0) == day }
    let users = Set(all.filter { self.version($0) == version }.map { $0.person(key) }).count
    return users > 0 && users * 100 >= Set(all.map { $0.person(key) }).count
  }

  private func firstDay(_ version: ExactText, _ known: [QuestionRow], _ key: PersonKey) -> Day? {
    let first = known.filter { self.version($0) == version && isSpread(version, on: day($0), key) }.map(day).min()
    return first == known.map(day).min() ? nil : first
  }

  private func comparison(
    _ version: ExactText, _ start: Day?, _ previous: ExactText, _ earlier: Day?, _ question: ReleasesQuestion
  ) -> ReleasesAnswer.Comparison? {
    guard let start, let earlier else { return nil }
    let last = question.scope.range.resolved(today: today).upperBound
    // So many days of both are over.
    let counts = (1...question.days).filter { count in
      [start, earlier].allSatisfy { $0.advanced(by: count - 1) < today && $0.advanced(by: count - 1) <= last }
    }
    guard let count = counts.max() else { return nil }
    return ReleasesAnswer.Comparison(
      previous: previous.text, days: count, previousFirstDay: earlier,
      release: figures(of: version, start...start.advanced(by: count - 1), question),
      before: figures(of: previous, earlier...earlier.advanced(by: count - 1), question))
  }

  private func figures(
    of version: ExactText, _ days: ClosedRange<Day>, _ question: ReleasesQuestion
  ) -> ReleasesAnswer.Figures {
    let key = question.scope.person
    let scope = QuestionScope(
      range: .dates(days.lowerBound, days.upperBound),
      filters: question.scope.filters + [.isOneOf(.version, [.text(version.text)])], person: key)
    let rows = passing(scope, in: days)
    let crashes = rows.filter { $0.kind == .crash }
    func sessions(_ rows: [QuestionRow]) -> Int {
      Set(rows.filter { $0.kind != .other && $0.session != nil }.map { [$0.install, "\($0.session ?? 0)"] }).count
    }
    let persons = persons(rows, key)
    return ReleasesAnswer.Figures(
      users: persons.count, crashedUsers: Set(crashes.map { $0.person(key) }).count, sessions: sessions(rows),
      crashedSessions: sessions(crashes),
      conversions: question.conversions.map { conversion in
        switch conversion {
        case .funnel(var funnel):
          funnel.scope = scope
          let steps = answer(funnel).groups[0].steps
          return .share(Share(steps.last?.persons ?? 0, of: steps[0].persons))
        case .perUser(let selector):
          let counts = persons.values.map { rows in rows.count { matches(selector, $0, key, days) } }
          return .mean(
            Mean(
              users: counts.count, sum: counts.reduce(0, +), squares: Double(counts.reduce(0) { $0 + $1 * $1 })))
        }
      })
  }

  private func newErrors(_ version: ExactText, _ passing: [QuestionRow], _ days: ClosedRange<Day>) -> [Int] {
    Set(rows.compactMap(\.error)).sorted().filter { group in
      guard let first = rows.first(where: { $0.error == group }), self.version(first) == version, isIn(days, first)
      else {
        return false
      }
      return passing.contains { $0.error == group && self.version($0) == version }
    }
  }
}
