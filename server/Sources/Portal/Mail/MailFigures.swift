import Alerts
import Outgoing
import Questions
import Reports
import Warehouse

/// The figures of a card, for the period of a report instead of the card's own days.
struct MailFigures {
  /// The most rows of a table.
  private static let maximumRows = 8

  let form: QuestionForm
  private let period: MailPeriod
  private let ask: PageVisit.Ask

  init(_ form: QuestionForm, _ period: MailPeriod, _ ask: PageVisit.Ask) {
    (self.form, self.period, self.ask) = (form, period, ask)
  }

  /// The figure of Explore with its change, its sparkline and, with a breakdown, the largest values.
  func explore(_ heading: String) async throws -> MailSection {
    var query = try form.timeline()
    query.groups = [.init(.time(.day))]
    let daily = try await answer(query, over: period.sparklineDays)
    let rows = Dictionary(
      daily.rows.map { ($0.dimensions.first??.text ?? "", $0.metrics.first ?? nil) }, uniquingKeysWith: { $1 })
    let empty = query.metrics.first?.isCount ?? false ? 0.0 : nil
    func value(_ label: String) -> Double? { rows[label] ?? empty }
    var (current, before) = (daily.totals?.first ?? nil, Double?.none)
    if period.cadence == .day {
      // The sparkline covers both days.
      current = value(period.days.lowerBound.description)
      before = value(period.before.lowerBound.description)
    } else {
      var total = query
      (total.groups, total.includesTimeLabels) = ([], false)
      before = try await answer(total, over: period.before).totals?.first ?? nil
    }
    let format = form.format
    return MailSection(
      heading, columns: MailSection.columns(period),
      rows: [.init(form.metricName, current ?? empty, before: before ?? empty, format)]
        + (try await breakdown(query)),
      sparklines: [.init(form.metricName, period.sparklineDays, (daily.timeLabels ?? []).map(value), format)],
      note: query.metrics.first?.note)
  }

  private func breakdown(_ timeline: QueryQuestion) async throws -> [MailSection.Row] {
    guard let dimension = try form.breakdownDimension() else { return [] }
    let bins = form.bins?.bounds ?? []
    let metrics = timeline.metrics
    var query = QueryQuestion(
      scope: timeline.scope, metrics: metrics, groups: [.init(dimension, bins: bins)], limit: Self.maximumRows)
    if form.format != .count {
      // The largest average often comes from a single row, so values are ordered by their users.
      query.metrics.append(.plain(.users))
      query.order = [.init(.metric(1), isDescending: true)]
    }
    let largest = try await answer(query, over: period.days).rows
    let values = largest.map { $0.dimensions.first ?? nil }
    guard !values.isEmpty else { return [] }
    if bins.isEmpty {
      query.scope.filters.append(
        .any(values.map { value in value.map { .isOneOf(dimension, [$0]) } ?? .isNotSet(dimension) }))
    }
    query.limit = QueryQuestion.defaultLimit
    let before = Dictionary(
      try await answer(query, over: period.before).rows.map { ($0.dimensions.first ?? nil, $0.metrics.first ?? nil) },
      uniquingKeysWith: { $1 })
    let empty = metrics.first?.isCount ?? false ? 0.0 : nil
    let highest = largest.compactMap { $0.metrics.first ?? nil }.max() ?? 0
    return zip(values, largest).map { value, row in
      let figure = row.metrics.first ?? nil
      let share = form.format == .count && highest > 0 ? figure.map { $0 / highest } : nil
      return .init(
        "– \(shown(valueText(value, of: form.breakdown), limit: 60))", figure, before: before[value] ?? empty,
        form.format, share: share)
    }
  }

  /// The steps of a funnel, with the users who took each in both periods.
  func funnel(_ heading: String) async throws -> MailSection {
    guard var funnel = try form.funnel() else {
      throw QuestionError("The form of this page is not complete.", at: "$.query")
    }
    funnel.breakdown = nil
    let question = Question.funnel(funnel)
    let current = try await steps(question, over: period.days)
    let before = try await steps(question, over: period.before)
    let names = form.stepNames
    var rows = current.indices.filter { names.indices.contains($0) && before.indices.contains($0) }.map { index in
      MailSection.Row(
        "\(index + 1). \(shown(names[index], limit: 60))", Double(current[index].persons),
        before: Double(before[index].persons), .count, share: current[index].fromFirst ?? 0)
    }
    rows.append(MailSection.Row("All steps", current.last?.fromFirst, before: before.last?.fromFirst, .highShare))
    return MailSection(heading, columns: MailSection.columns(period), rows: rows)
  }

  private func steps(_ question: Question, over days: ClosedRange<Day>) async throws -> [FunnelAnswer.Step] {
    guard case .funnel(let answer) = try await ask(question.over(days)).answer else { return [] }
    return answer.groups.first?.steps ?? []
  }

  /// Some rows of an answer over the card's own number of days, up to the end of the period: users come back over
  /// weeks, whatever the period of the report.
  func table(_ heading: String, _ question: Question) async throws -> MailSection {
    let answered = try await ask(question.resolved(today: period.days.upperBound))
    let days = answered.question.scope.range.resolved(today: period.days.upperBound)
    var section = MailSection(heading, note: "\(days.text).")
    switch answered.answer {
    case .retention(let answer):
      guard case .retention(let asked) = answered.question else { break }
      let unit = asked.interval
      section.columns = ["Began", "Users"] + (1...4).map { "After \($0)" }
      // A part of a week would be compared with whole ones, and another mail has another part of it.
      let whole = answer.cohorts.filter { !answer.partial.contains($0.interval) }
      section.rows = whole.suffix(Self.maximumRows).map { cohort in
        let size = cohort.values.first ?? 0
        let shares = (1...4).map { after in
          cohort.values.indices.contains(after) && size > 0
            && !answer.partial.contains(cohort.interval(after: after, unit))
            ? percentage(Double(cohort.values[after]) / Double(size)) : "–"
        }
        let value = form.breakdown == nil ? "" : ", \(shown(valueText(cohort.value, of: form.breakdown), limit: 60))"
        return .init([cohort.interval + value, grouped(size)] + shares)
      }
      section.note = "\(days.text). Only whole \(unit.rawValue)s."
      if whole.isEmpty, !answer.cohorts.isEmpty {
        section.note = "No whole \(unit.rawValue) from \(days.text): choose a longer range for this card."
        return section
      }
    case .releases(let answer):
      section = releases(answer, section)
    case .paths(let answer):
      section.columns = ["", "Sessions"]
      let highest = Double(answer.edges.map(\.sessions).max() ?? 0)
      section.rows = answer.edges.prefix(Self.maximumRows).map { edge in
        let names = [edge.from, edge.to].map { shown(valueText($0.name), limit: 30) }
        return .init([names.joined(separator: " → "), grouped(edge.sessions)], share: Double(edge.sessions) / highest)
      }
    default:
      section.columns = answered.table.columns.map { titled($0.replacing("_", with: " ")) }
      // These tables have an interval in each row; the last ones are the latest.
      section.rows = (0..<answered.table.count).suffix(Self.maximumRows).map { index in
        .init(answered.table.row(index).map { shown($0.plainText ?? "–", limit: 60) })
      }
    }
    if section.rows.isEmpty { section.note = "No rows match from \(days.text)." }
    return section
  }

  private func answer(_ query: QueryQuestion, over days: ClosedRange<Day>) async throws -> QueryAnswer {
    guard case .query(let answer) = try await ask(Question.query(query).over(days)).answer else { return QueryAnswer() }
    return answer
  }
}
