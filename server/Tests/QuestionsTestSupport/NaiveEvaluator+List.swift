package import Questions

extension NaiveEvaluator {
  /// Answers a question about persons.
  package func answer(_ question: PersonsQuestion) -> PersonsAnswer {
    let (days, key) = (question.scope.range.resolved(today: today), question.scope.person)
    var found: [PersonsAnswer.Person] = []
    let rowDays = question.rowDays(today: today)
    let listed = rows.filter { isIn(rowDays, $0) && passes(question.scope.filters, $0, key, days) }
    for (person, rows) in persons(listed, key) {
      guard let last = rows.last, isMember(person, question) else { continue }
      var answer = PersonsAnswer.Person(
        install: last.install, user: last.user ?? (key == .user ? last.joined : nil),
        firstSeen: firstRow(person, key)?.time ?? 0, last: PersonsCursor(time: last.time, row: last.id))
      answer.events = rows.count { $0.kind == .event }
      answer.sessions =
        Set(rows.filter { $0.kind != .other && $0.session != nil }.map { [$0.install, "\($0.session ?? 0)"] })
        .count
      answer.version = last.facts[.version]
      answer.model = last.facts[.model]
      answer.country = last.facts[.country].map { QuestionDimension.country.canonical($0) }
      found.append(answer)
    }
    found.sort { ($0.last.time, $0.last.row) > ($1.last.time, $1.last.row) }
    let left = found.filter { person in
      question.before.map { (person.last.time, person.last.row) < ($0.time, $0.row) } ?? true
    }
    return PersonsAnswer(persons: Array(left.prefix(question.limit)), total: found.count)
  }

  private func isMember(_ person: [String], _ question: PersonsQuestion) -> Bool {
    switch question.group {
    case .all: return true
    case .funnel(let asked, let step, let isDropped, let value):
      let funnel = value.map { asked.requiring($0) } ?? asked
      let days = funnel.scope.range.resolved(today: today)
      let rows = passing(funnel.scope, in: days).filter { $0.person(funnel.scope.person) == person }
      guard let best = bestAttempt(funnel, rows, days) else { return false }
      return isDropped ? best.times.count == step - 1 : best.times.count >= step
    case .path(let paths, let edge):
      let days = paths.scope.range.resolved(today: today)
      let rows = passing(paths.scope, in: days).filter { $0.session != nil && $0.kind != .other }
      let sessions = Dictionary(grouping: rows) { [$0.install, String($0.session ?? 0)] }
      return sessions.values.contains { rows in
        guard rows.contains(where: { $0.person(paths.scope.person) == person }) else { return false }
        let path = path(paths, rows, days).prefix(paths.depth)
        guard path.count > edge.step else { return false }
        let pair = (path[edge.step - 1], path[edge.step])
        return if case .end = paths.anchor { pair == (edge.to, edge.from) } else { pair == (edge.from, edge.to) }
      }
    case .cohort(let cohort, let first, let after):
      let answer = alone(person, cohort.scope.person).answer(cohort)
      return answer.cohorts.contains { $0.interval == first && after < $0.values.count && $0.values[after] == 1 }
    case .new(let bucket):
      let days = question.scope.range.resolved(today: today)
      guard let first = firstRow(person, question.scope.person), isIn(days, first) else { return false }
      return bucket.map { first.value(.time($0.unit), calendar) == .text($0.label) } ?? true
    case .lifecycle(let interval, let label, let state):
      let alone = alone(person, interval.scope.person).lifecycle(interval).first { $0.interval == label }
      let count: Int? =
        switch state {
        case .new: alone?.new
        case .returning: alone?.returning
        case .resurrected: alone?.resurrected
        case .dormant: alone?.dormant
        }
      return count == 1
    case .stickiness(let interval, let count):
      let alone = alone(person, interval.scope.person).stickiness(interval)
      return alone.indices.contains(count - 1) && alone[count - 1] == 1
    case .error(let group):
      let days = question.scope.range.resolved(today: today)
      return passing(question.scope, in: days).contains {
        $0.error == group && $0.person(question.scope.person) == person
      }
    }
  }

  /// An evaluator of the rows of one person.
  private func alone(_ person: [String], _ key: PersonKey) -> NaiveEvaluator {
    NaiveEvaluator(rows.filter { $0.person(key) == person }, calendar: calendar, today: today)
  }

  /// Answers a question of any kind.
  package func answer(_ question: Question) -> Answer {
    switch question {
    case .query(let question): .query(answer(question))
    case .funnel(let question): .funnel(answer(question))
    case .retention(let question): .retention(answer(question))
    case .paths(let question): .paths(answer(question))
    case .lifecycle(let question): .lifecycle(lifecycle(question))
    case .stickiness(let question): .stickiness(stickiness(question))
    case .persons(let question): .persons(answer(question))
    case .releases(let question): .releases(answer(question))
    }
  }
}
