import Ingest
import Questions
import Reports
import TernBase
import TernEvents
import Warehouse

extension PortalPages {
  /// Asks the question of a form and shows its answer.
  func view(_ form: QuestionForm, _ app: App, today: Day, _ ask: Ask) async throws -> QuestionView {
    if form.page == .explore { return try await explore(form, today: today, ask) }
    guard let json = form.json(form.page.kind) else {
      var view = QuestionView()
      view.calm = ("Choose two steps", "A funnel has at least two: for example a screen, and an event on it.")
      return view
    }
    let answered = try await ask(Question(form.page.kind, json: json.encoded))
    var view = QuestionView(answered)
    switch answered.answer {
    case .funnel(let answer): show(answer, form, app, &view)
    case .retention(let answer): show(answer, form, app, &view)
    case .paths(let answer): show(answer, form, app, &view)
    case .lifecycle(let intervals):
      show(intervals, isOpen: answered.question.scope.endsOn(today), &view)
      if let json = form.json(.stickiness) {
        let other = try await ask(Question(.stickiness, json: json.encoded))
        if case .stickiness(let persons) = other.answer { show(stickiness: persons, form, &view) }
      }
    case .persons(let answer): try show(answer, form, app, &view)
    case .query, .stickiness: break
    }
    return view
  }

  /// The address of the persons behind a figure; `nil` for readers who may not see them.
  private func people(
    _ form: QuestionForm, _ app: App, _ changes: KeyValuePairs<String, String?>
  ) -> String? {
    reader.seesPersonalData ? PortalLinks(app: app.id).question(.people, form.query(changes)) : nil
  }

  private func show(_ answer: FunnelAnswer, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    let names = QuestionForm.steps.filter { form.selector($0) != nil }.map { form.stepName($0) }
    guard answer.groups.contains(where: { ($0.steps.first?.persons ?? 0) > 0 }) else {
      view.calm = ("No one took the first step", "Choose a longer range, or another first step.")
      return
    }
    for group in answer.groups {
      let rows = zip(names, group.steps).enumerated().map { index, pair -> [TemplateValues] in
        let (name, step) = pair
        let number = String(index + 1)
        let isWhole = form["breakdown"] == nil
        let reached = isWhole ? people(form, app, ["group": "funnel", "step": number]) : nil
        let lost = index == 0 ? 0 : group.steps[index - 1].persons - step.persons
        let left =
          isWhole && lost > 0 ? people(form, app, ["group": "funnel", "step": number, "dropped": "1"]) : nil
        return [
          .head("\(number). \(shown(name))"),
          .cell(grouped(step.persons), link: reached, bar: ShareBar.svg(step.fromFirst ?? 0)),
          .cell(step.fromFirst.map { percentage($0) } ?? "–"), .cell(step.fromPrevious.map { percentage($0) } ?? "–"),
          .cell(index == 0 ? "–" : grouped(lost), link: left),
          .cell(step.medianSeconds.map { clockText(milliseconds: whole($0 * 1_000)) } ?? "–"),
        ]
      }
      let heading = form["breakdown"].map { "\(shown($0)): \(text(group.value))" } ?? "Steps"
      view.grids.append(
        .grid(heading, ["Step", "Users", "Of the first", "Of the one before", "Stopped here", "Median time"], rows))
    }
  }

  private func show(_ answer: RetentionAnswer, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    guard !answer.cohorts.isEmpty else {
      view.calm = ("No cohorts", "No one started in this range. Choose a longer one, or another start.")
      return
    }
    let length = answer.cohorts.map(\.values.count).max() ?? 1
    let interval = form["interval"] ?? "week"
    let columns = ["Cohort", "Users"] + (1..<max(length, 1)).map { "\(interval.prefix(1).uppercased())\($0)" }
    let rows = answer.cohorts.map { cohort -> [TemplateValues] in
      let size = cohort.values.first ?? 0
      let cells = cohort.values.enumerated().map { after, count -> TemplateValues in
        let link = people(form, app, ["group": "cohort", "of": cohort.interval, "after": String(after)])
        guard after > 0 else { return .cell(grouped(count), link: count > 0 ? link : nil) }
        let part = size > 0 ? Double(count) / Double(size) : 0
        return .cell(
          size > 0 ? percentage(part) : "–", link: count > 0 ? link : nil,
          style: "heat\(min(Int((part * 10).rounded(.up)), 10))")
      }
      return [.head(cohort.interval)] + cells + Array(repeating: .cell(""), count: length - cohort.values.count)
    }
    let partial = answer.partial.isEmpty ? nil : "Not complete yet: \(answer.partial.joined(separator: ", "))."
    view.grids = [.grid("Share of each cohort that came back", columns, rows, note: partial)]
  }

  private func show(_ answer: PathsAnswer, _ form: QuestionForm, _ app: App, _ view: inout QuestionView) {
    guard !answer.edges.isEmpty else {
      view.calm = ("No paths", "No session in this range has two such steps. Choose a longer range, or another start.")
      return
    }
    let links = PortalLinks(app: app.id)
    func link(_ node: PathsAnswer.Node) -> String? {
      guard let name = node.name.text else { return nil }
      return links.question(.paths, form.query(["k1": node.isScreen ? "screen" : "event", "n1": name]))
    }
    let isBackwards = form["anchor"] == "end" && form.selector(1) != nil
    for step in Set(answer.edges.map(\.step)).sorted() {
      let edges = answer.edges.filter { $0.step == step }
      let (other, ended) = (answer.other.at(step - 1), answer.ended.at(step - 1))
      let all = edges.reduce(other) { $0 + $1.sessions }
      var rows = edges.map { edge -> [TemplateValues] in
        let share = Double(edge.sessions) / Double(max(all, 1))
        return [
          .head(text(edge.from.name), link: link(edge.from)),
          .cell(text(edge.to.name), link: link(edge.to), style: "name"),
          .cell(grouped(edge.sessions), bar: ShareBar.svg(share)), .cell(percentage(share)),
        ]
      }
      if other > 0 { rows.append([.head("(other)"), .cell(""), .cell(grouped(other)), .cell("")]) }
      view.grids.append(
        .grid(
          isBackwards ? "\(step) before the end" : "Step \(step)", ["From", "To", "Sessions", "Share"], rows,
          note: ended > 0 ? "\(counted(ended, "session")) ended here." : nil))
    }
  }

  private func show(_ intervals: [LifecycleInterval], isOpen: Bool, _ view: inout QuestionView) {
    let days = intervals.compactMap { Day($0.interval) }
    guard days.count == intervals.count, intervals.contains(where: { $0.new + $0.returning + $0.resurrected > 0 })
    else {
      view.calm = ("No users", "No one was active in this range. Choose a longer one.")
      return
    }
    let series: [Chart.Series] = [
      .init(name: "New", values: intervals.map(\.new), color: 1),
      .init(name: "Returning", values: intervals.map(\.returning), color: 3),
      .init(name: "Resurrected", values: intervals.map(\.resurrected), color: 4),
      .init(name: "Dormant", values: intervals.map(\.dormant), color: 2),
    ]
    let chart = Chart(id: "lifecycle", title: "Users by state", days: days, series: series, endsToday: isOpen)
    view.picture = ("Users by state", chart.html() + table(chart))
  }

  private func show(stickiness persons: [Int], _ form: QuestionForm, _ view: inout QuestionView) {
    let all = persons.reduce(0, +)
    guard all > 0 else { return }
    let unit = form["interval"] ?? "day"
    let rows = persons.enumerated().filter { $0.element > 0 }.map { index, count -> [TemplateValues] in
      let part = Double(count) / Double(all)
      return [
        .head(counted(index + 1, unit)), .cell(grouped(count), bar: ShareBar.svg(part)), .cell(percentage(part)),
      ]
    }
    view.grids.append(.grid("Users by the number of \(unit)s with activity", ["Active on", "Users", "Share"], rows))
  }

  private func show(
    _ answer: PersonsAnswer, _ form: QuestionForm, _ app: App, _ view: inout QuestionView
  ) throws {
    guard !answer.persons.isEmpty else {
      view.calm = ("No users", "No one matches. Remove a filter or choose a longer range.")
      return
    }
    let (links, key) = (PortalLinks(app: app.id), form["by"])
    let zone = try ReportZone(app.timeZone)
    func time(_ milliseconds: Int64) -> String {
      let time = Timestamp(millisecondsSince1970: milliseconds)
      return "\(zone.day(of: time)) \(zone.timeOfDay(of: time).prefix(5))"
    }
    let rows = answer.persons.map { person -> [TemplateValues] in
      [
        .head(
          person.user.map { shown($0) } ?? "Install \(shown(person.install))",
          link: links.trail(
            of: key == "user" ? person.user.map { .user($0) } ?? .install(person.install) : .install(person.install))),
        .cell(time(person.last.time)),
        .cell(time(person.firstSeen)), .cell(grouped(person.events)), .cell(grouped(person.sessions)),
        .cell(person.version.map { shown($0) } ?? "–"), .cell(person.model.map { shown($0) } ?? "–"),
        .cell(person.country.map { shown($0) } ?? "–"),
      ]
    }
    let isCut = answer.persons.count == PersonsQuestion.standardLimit
    let next = isCut ? answer.persons.last.flatMap { people(form, app, ["before": $0.last.text]) } : nil
    view.grids = [
      .grid(
        counted(answer.total, "user") + form.groupText,
        ["User", "Last seen", "First seen", "Events", "Sessions", "Version", "Model", "Country"], rows, next: next)
    ]
  }

  func text(_ value: QuestionValue?) -> String {
    switch value {
    case .text(let text): shown(text.text)
    case .number(let number): QuestionJSON.plain(number)
    case nil: "(not set)"
    }
  }
}

extension QuestionScope {
  /// True if the range ends on a day.
  func endsOn(_ day: Day) -> Bool {
    if case .dates(_, let last) = range { last == day } else { false }
  }
}

extension QuestionForm {
  /// The group of persons in words, after their number.
  var groupText: String {
    switch self["group"] {
    case "funnel":
      let step = shown(self["step"] ?? "1")
      return self["dropped"] == "1" ? " who stopped before step \(step)" : " who took step \(step)"
    case "cohort":
      let after = self["after"] ?? "0"
      let interval = self["interval"] ?? "week"
      return " who started in the \(shown(interval)) of \(shown(self["of"] ?? ""))"
        + (after == "0" ? "" : ", back after \(shown(after))")
    default: return ""
    }
  }

  /// The name of a step on the page.
  func stepName(_ index: Int) -> String {
    switch self["k\(index)"] {
    case "crash": "Crash"
    case "handled_error": "Error"
    case "session_start": "Session start"
    case "any": "Any event or screen"
    default: self["n\(index)"] ?? ""
    }
  }
}

extension Array {
  /// The element at an index, or 0 beyond the end.
  fileprivate func at(_ index: Int) -> Int where Element == Int { indices.contains(index) ? self[index] : 0 }
}
