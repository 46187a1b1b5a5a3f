import JSON
import Questions
import Reports
import TernBase
import Warehouse

/// The shares of users who came back after one interval, after two, and so on.
private struct RetentionCurve {
  /// `nil` where no cohort is old enough.
  var shares: [Double?]

  /// The curve of all whole cohorts together. Intervals of which the answer has a part are left out: they would look like a
  /// drop.
  init(_ answer: RetentionAnswer, _ unit: TimeUnit, length: Int) {
    let partial = Set(answer.partial)
    var (sizes, backs) = (Array(repeating: 0, count: length), Array(repeating: 0, count: length))
    for cohort in answer.cohorts where !partial.contains(cohort.interval) {
      let size = cohort.values.first ?? 0
      for (index, count) in cohort.values.dropFirst().prefix(length).enumerated()
      where !partial.contains(cohort.interval(after: index + 1, unit)) {
        sizes[index] += size
        backs[index] += count
      }
    }
    shares = zip(sizes, backs).map { $0 > 0 ? Double($1) / Double($0) : nil }
  }

  /// The curve of one cohort.
  init(_ cohort: RetentionAnswer.Cohort, of answer: RetentionAnswer, _ unit: TimeUnit, length: Int) {
    var one = answer
    one.cohorts = [cohort]
    self.init(one, unit, length: length)
  }
}

/// The page Retention: the users who come back.
struct RetentionPage {
  let visit: PageVisit

  private static let shownCohorts = 3

  func show(
    _ answer: RetentionAnswer, other: OtherAnswer?, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) {
    guard !answer.cohorts.isEmpty else {
      view.emptyState = ("No cohorts", "No one started in this range. Choose a longer one, or another start.")
      return
    }
    let unit = form["interval"].flatMap { TimeUnit(rawValue: $0) } ?? .week
    let length = answer.cohorts.map(\.values.count).max() ?? 1
    if length > 1 {
      view.pictures = [curves(answer, other, unit, length: length - 1)]
      if form.card != nil, let share = RetentionCurve(answer, unit, length: 1).shares[0] {
        view.figure = CardFigure(value: percentage(share), about: "were back after 1 \(unit.rawValue)")
      }
    }
    let columns = ["Cohort", "Users"] + (1..<max(length, 1)).map { "\(unit.rawValue.prefix(1).uppercased())\($0)" }
    let partial = Set(answer.partial)
    let rows = answer.cohorts.map { cohort -> [TemplateValues] in
      let size = cohort.values.first ?? 0
      let isPartial = partial.contains(cohort.interval)
      let cells = cohort.values.enumerated().map { after, count -> TemplateValues in
        let link = visit.people(form, app, ["group": "cohort", "of": cohort.interval, "after": String(after)])
        guard after > 0 else {
          return .cell(grouped(count), link: count > 0 ? link : nil, style: isPartial ? "open" : "")
        }
        let isOpen = isPartial || partial.contains(cohort.interval(after: after, unit))
        let part = size > 0 ? Double(count) / Double(size) : 0
        return .cell(
          size > 0 ? percentage(part) : "–", link: count > 0 ? link : nil,
          style: isOpen ? "open" : "heat\(min(Int(clamping: (part * 10).rounded(.up)), 10))")
      }
      return [.head(Chart.Place(cohort.interval, unit).title + (isPartial ? ", in part" : ""))] + cells
        + Array(repeating: .cell(""), count: length - cohort.values.count)
    }
    let note =
      partial.isEmpty
      ? nil
      : "Grey figures are those of a part of a \(unit.rawValue), because the range begins or ends within it or it is not "
        + "over; curves leave them out: \(answer.partial.map { Chart.Place($0, unit).title }.joined(separator: ", "))."
    view.grids = [
      AnswerGrid(
        heading: "Share of each cohort that came back",
        about: "Each row follows the users who started in the same \(unit.rawValue); "
          + "each column is one more \(unit.rawValue) later.", columns: columns, rows: rows, note: note)
    ]
  }

  /// The curves of all cohorts, and of those of the other side, or of the latest ones if the page compares with nothing.
  private func curves(
    _ answer: RetentionAnswer, _ other: OtherAnswer?, _ unit: TimeUnit, length: Int
  ) -> QuestionView.Picture {
    var series = [
      Chart.Series(name: "All cohorts", values: RetentionCurve(answer, unit, length: length).shares, color: 1)
    ]
    if let other, case .retention(let otherAnswer) = other.answer {
      series.append(
        Chart.Series(
          name: other.comparison.name, values: RetentionCurve(otherAnswer, unit, length: length).shares,
          isCompared: true,
          color: 3))
    } else {
      let latest = answer.cohorts.map { ($0, RetentionCurve($0, of: answer, unit, length: length)) }
        .filter { $1.shares.count { $0 != nil } > 1 }.suffix(Self.shownCohorts).reversed()
      if answer.cohorts.count > 1 {
        series += latest.enumerated().map { index, pair in
          let (cohort, curve) = pair
          let value = cohort.value.map { ", \(valueText($0))" } ?? ""
          return Chart.Series(
            name: "Cohort of \(Chart.Place(cohort.interval, unit).axis)\(value)", values: curve.shares, color: index + 2
          )
        }
      }
    }
    let places = (1...length).map { count in
      Chart.Place(
        axis: "\(unit.rawValue.prefix(1).uppercased())\(count)", title: "\(counted(count, unit.rawValue)) later")
    }
    let chart = Chart(
      id: "retention", title: "Share that came back", places: places, series: series, format: .share, unit: "After")
    return .init(
      heading: "Share that came back",
      about: "The share of users who were back after each \(unit.rawValue); "
        + "cohorts and \(unit.rawValue)s of which the range has only a part are left out.",
      content: chart.html() + visit.table(chart, isNewestFirst: false))
  }
}

extension QuestionPageDefinition {
  static var retention: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "The users who come back in the days, weeks or months after they started.",
      icon: "M4 10a6 6 0 1 1 2 4.5M4 10l-2-2M4 10l2-2",
      sentence: { form in
        [
          QuestionForm.kind("Users who started with", 1, form.rows("start"), "any", QuestionForm.kinds),
          QuestionForm.name(1, form.rows("start")),
          QuestionForm.kind("and came back with", 2, form.rows("return"), "any", QuestionForm.kinds),
          QuestionForm.name(2, form.rows("return")),
          form.choice("after each", "Interval", "interval", QuestionForm.units, "week"),
        ]
      },
      more: { form in
        [
          form.choice(
            "Users start", "Cohort", "cohort",
            [("first_ever", "when they do it for the first time"), ("recurring", "each time they do it")], "first_ever")
        ]
      },
      question: { form throws(QuestionError) in .retention(try form.retention()) },
      groups: [
        PersonsGroupForm(name: "cohort") { form throws(QuestionError) in
          var group = CohortGroup(cohort: try form.retention())
          try group.set("of", to: .text(form["of"] ?? ""))
          try form.fill(&group, number: "after")
          return group.group
        } text: { form in
          let after = form["after"] ?? "0"
          return " who started in the \(shown(form["interval"] ?? "week")) of \(shown(form["of"] ?? ""))"
            + (after == "0" ? "" : ", back after \(shown(after))")
        }
      ],
      view: { visit, form, app, today, ask in
        try await visit.view(form, app, today: today, ask) { answered, other, view in
          if case .retention(let answer) = answered.answer {
            RetentionPage(visit: visit).show(answer, other: other, form, app, &view)
          }
        }
      })
  }
}

extension QuestionForm {
  func retention() throws(QuestionError) -> RetentionQuestion {
    var retention = RetentionQuestion(scope: try scope())
    if let start = rows("start") { try retention.set("start", to: start.json) }
    if let comesBack = rows("return") { try retention.set("return", to: comesBack.json) }
    for member in ["interval", "cohort"] { try fill(&retention, member) }
    if retention.interval == .day { retention.intervals = 14 }
    return retention
  }
}
