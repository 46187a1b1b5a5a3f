import Ingest
import Questions
import Reports
import TernBase
import Warehouse

/// The page Releases: one row for each release, against the one before at equal age.
struct ReleasesPage {
  let visit: PageVisit
  let form: QuestionForm
  let app: App
  let today: Day

  private static let about =
    "Large figures are those of the chosen days. Small ones compare each release with the one before at equal age: the "
    + "first days of both, as many as the younger one has, \(ReleasesQuestion().days) at most. The upper line is the 95 % "
    + "interval of the release, the lower one that of the release before. A difference without a colour may be chance."

  func show(_ answer: ReleasesAnswer, over days: ClosedRange<Day>, _ view: inout QuestionView) {
    guard !answer.releases.isEmpty else {
      view.emptyState = ("No releases", "No version was in use in this range. Choose a longer one.")
      return
    }
    visit.show(
      adoption(answer, over: days), "Adoption", about: "The share of each day's users by release.", form, app,
      &view)
    view.grids.append(grid(answer))
    if form.card != nil { view.figure = answer.releases.first.map(figure) }
    view.newErrors = answer.releases.filter { !$0.newErrors.isEmpty }.map { ($0.version, $0.newErrors) }
  }

  /// The crash-free users of the newest release, for a card.
  private func figure(_ release: ReleasesAnswer.Release) -> CardFigure {
    let share = release.figures.crashFreeUsers
    var change: Change?
    if let comparison = release.comparison, let current = comparison.release.crashFreeUsers.value,
      let before = comparison.before.crashFreeUsers.value
    {
      let clear = comparison.crashFreeUsers?.isClear ?? false
      change = Change(
        shares: current, before: before,
        note: "\(preciseShare(before)) in \(shown(comparison.previous, limit: 40))\(clear ? "" : ", may be chance")")
    }
    return CardFigure(
      value: share.value.map { preciseShare($0) } ?? "–", change: change,
      about: "crash-free users of \(shown(release.version, limit: 40))\(share.isFew ? " (few)" : "")")
  }

  /// The shares of the users of each day. Someone with two versions on a day counts under both, so that the parts are those of
  /// the sum.
  private func adoption(_ answer: ReleasesAnswer, over days: ClosedRange<Day>) -> Chart {
    let drawn = Array(answer.releases.prefix(RankedValues.drawn))
    let rest = answer.releases.dropFirst(RankedValues.drawn)
    let others = answer.days.indices.map { day in rest.reduce(answer.otherUsers[day]) { $0 + $1.dayUsers[day] } }
    let sums = answer.days.indices.map { day in drawn.reduce(others[day]) { $0 + $1.dayUsers[day] } }
    func shares(_ users: [Int]) -> [Double?] {
      zip(users, sums).map { $1 == 0 ? nil : Double($0) / Double($1) }
    }
    let colors = ValueColors.numbers(of: drawn.map(\.version))
    var series = zip(drawn, colors).map { release, color in
      Chart.Series(
        name: shown(release.version, limit: 60), values: shares(release.dayUsers), mark: .stack, color: color)
    }
    if others.contains(where: { $0 > 0 }) {
      series.append(Chart.Series(name: "Other", values: shares(others), mark: .stack, color: Chart.otherColor))
    }
    return Chart(
      id: form.chart, title: "Share of each day's users by release, \(days.text)",
      places: Chart.Place.places(answer.days, .day, in: days, today: today), series: series, format: .share)
  }

  private func grid(_ answer: ReleasesAnswer) -> AnswerGrid {
    let conversions = form.conversions
    let columns = (0..<2 + conversions.count).map { column in
      BoundsDrawing(
        answer.releases.compactMap(\.comparison).flatMap { comparison in
          [comparison.release, comparison.before].compactMap { figures in
            let all = Self.figures(figures)
            return all.indices.contains(column) ? all[column].interval : nil
          }
        })
    }
    let lastDay = answer.dayUsers.lastIndex { $0 > 0 }
    let rows = answer.releases.map { release -> [TemplateValues] in
      let share = lastDay.flatMap { release.adoption(dayUsers: answer.dayUsers)[$0] }
      let start: [TemplateValues] = [
        .head(
          shown(release.version, limit: 60),
          filter: visit.filterLink(form, app, FilterRow("version", value: release.version))),
        .cell(release.firstDay?.shortText ?? "–", bar: Self.against(release.comparison)),
      ]
      let counts: [TemplateValues] = [
        .cell(
          grouped(release.newErrors.count),
          link: visit.reader.isGuest || form.card != nil ? nil : errors(release.newErrors)),
        .cell(
          grouped(release.figures.users), link: people(release, release.figures.users),
          bar: Self.before(release.comparison) { $0.users }),
        .cell(grouped(release.figures.sessions), bar: Self.before(release.comparison) { $0.sessions }),
        .cell(share.map { percentage($0) } ?? "–", bar: share.map { ShareBar.svg($0) } ?? ""),
      ]
      let figures = zip(Self.figures(release.figures), columns).enumerated().map { index, pair in
        cell(pair.0, of: index, release, conversions, pair.1)
      }
      // The figures that a release may have made worse come first: a narrow window shows no more.
      return start + figures + counts
    }
    return AnswerGrid(
      heading: "Releases", about: Self.about,
      columns: ["Release", "Since", "Crash-free users", "Crash-free sessions"] + conversions.map(\.conversion.title)
        + ["New errors", "Users", "Sessions", "Adoption"], rows: rows,
      note:
        "Crash-free: \(QuestionMetric.Plain.crashFreeUsers.about) Figures of fewer than \(Share.few) users or sessions "
        + "are marked “few”: they may be far off.")
  }

  /// The figures with intervals, in the order of their columns.
  private static func figures(_ figures: ReleasesAnswer.Figures) -> [ReleasesAnswer.Conversion] {
    [.share(figures.crashFreeUsers), .share(figures.crashFreeSessions)] + figures.conversions
  }

  private func cell(
    _ figure: ReleasesAnswer.Conversion, of column: Int, _ release: ReleasesAnswer.Release,
    _ conversions: [(name: String, conversion: ReleaseConversion)], _ drawing: BoundsDrawing?
  ) -> TemplateValues {
    var below = ""
    if let comparison = release.comparison {
      let (current, before) = (Self.figures(comparison.release)[column], Self.figures(comparison.before)[column])
      below += Self.difference(current, before)
      if let drawing, let value = current.value, let interval = current.interval {
        let earlier = before.value.flatMap { value in before.interval.map { (value: value, interval: $0) } }
        below += drawing.svg((value, interval), before: earlier)
      }
    }
    let few = figure.isFew && figure.value != nil ? " (few)" : ""
    return .cell(
      Self.text(figure) + few, link: link(column, release, conversions), style: few.isEmpty ? "" : "few", bar: below)
  }

  private static func text(_ figure: ReleasesAnswer.Conversion) -> String {
    switch figure {
    case .share(let share): share.value.map { preciseShare($0) } ?? "–"
    case .mean(let mean): ChartFormat.number.text(mean.value)
    }
  }

  /// The difference to the release before, with its interval; coloured if it is clear.
  private static func difference(_ current: ReleasesAnswer.Conversion, _ before: ReleasesAnswer.Conversion) -> String {
    guard let difference = current.difference(from: before) else { return "" }
    func signed(_ value: Double) -> String {
      let isShare = if case .share = current { true } else { false }
      let text = ChartFormat.number.text(abs(value) * (isShare ? 100 : 1))
      return (value < 0 ? "−" : "+") + text + (isShare ? " pp" : "")
    }
    let style = difference.isClear ? difference.value < 0 ? "worse" : "better" : "noise"
    let few = current.isFew || before.isFew ? ", few" : ""
    return "<span class=\"difference \(style)\">\(signed(difference.value))"
      + "<span class=\"extent\"> (\(signed(difference.interval.low)) to \(signed(difference.interval.high))\(few))</span></span>"
  }

  /// A count at equal age.
  private static func before(
    _ comparison: ReleasesAnswer.Comparison?, _ count: (ReleasesAnswer.Figures) -> Int
  ) -> String {
    guard let comparison else { return "" }
    return
      "<span class=\"difference noise\">\(grouped(count(comparison.release))), before: \(grouped(count(comparison.before)))</span>"
  }

  /// The days of the comparison, and the release before.
  private static func against(_ comparison: ReleasesAnswer.Comparison?) -> String {
    guard let comparison else { return "" }
    let words = "first \(counted(comparison.days, "day")), \(shown(comparison.previous, limit: 40))"
    return "<span class=\"difference noise\">\(escaped(words))</span>"
  }

  // MARK: - Links

  /// The form with one release alone, without the conversions, which other pages don't have.
  private func alone(_ release: ReleasesAnswer.Release) -> QuestionForm {
    let row = FilterRow("version", value: release.version)
    return FilterRows(form.rows, others: form.otherFilters).adding(row).map { form.filtered(by: $0) } ?? form
  }

  private static let without: [(String, String?)] = ReleaseConversion.parameters.map { ($0, nil) }

  private func people(
    _ release: ReleasesAnswer.Release, _ count: Int, _ changes: [(String, String?)] = []
  ) -> String? {
    count > 0 ? visit.people(alone(release), app, Self.without + changes) : nil
  }

  private func link(
    _ column: Int, _ release: ReleasesAnswer.Release,
    _ conversions: [(name: String, conversion: ReleaseConversion)]
  ) -> String? {
    let figures = release.figures
    switch column {
    case 0: return people(release, figures.crashedUsers, [("group", "figure"), ("metric", "crash_free_users")])
    case 1: return people(release, figures.crashedSessions, [("group", "figure"), ("metric", "crash_free_sessions")])
    default:
      guard !visit.reader.isGuest, form.card == nil, conversions.indices.contains(column - 2) else { return nil }
      switch conversions[column - 2].conversion {
      case .funnel(let funnel):
        var shown = funnel
        for name in ["days", "from", "to"] { shown.set(name, to: form[name]) }
        let rows = FilterRows(alone(release).rows + funnel.rows, others: form.otherFilters + funnel.otherFilters)
        return PortalLinks(app: app.id).question(.funnels, shown.filtered(by: rows).query(segment))
      case .perUser(let choice):
        guard case .mean(let mean) = figures.conversions[column - 2], mean.sum > 0 else { return nil }
        let rows: [(String, String?)] =
          choice.name.isEmpty ? choice.kind == "any" ? [] : [("kind", choice.kind)] : [(choice.kind, choice.name)]
        return people(release, mean.sum, rows)
      }
    }
  }

  private var segment: [(String, String?)] { form["segment"].map { [("segment", $0)] } ?? [] }

  private func errors(_ groups: [Int]) -> String? {
    guard let first = groups.first else { return nil }
    let links = PortalLinks(form, app: app.id, today: today)
    return groups.count == 1
      ? links.page(AppReports.error, [.group: String(first)]) : links.question(.releases, form.query()) + "#new-errors"
  }
}

extension QuestionPageDefinition {
  static var releases: QuestionPageDefinition {
    QuestionPageDefinition(
      explanation: "Which release made something worse, and for whom.",
      icon: "M4 17V3M4 4h9l-2 3 2 3H4",
      sentence: { _ in [] }, more: { $0.display },
      question: { form throws(QuestionError) in .releases(try form.releases()) },
      view: { visit, form, app, today, ask in
        guard let question = try form.question() else { return QuestionView() }
        let answered = try await ask(question)
        var view = QuestionView(answered)
        if case .releases(let answer) = answered.answer {
          ReleasesPage(visit: visit, form: form, app: app, today: today).show(
            answer, over: answered.question.scope.range.resolved(today: today), &view)
        }
        return view
      })
  }
}
