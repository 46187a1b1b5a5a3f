import Ingest
import Questions
import Reports
import TernBase
import Warehouse

/// The menus of the page Releases: a click opens one, another chooses among links. None needs typing or scripts.
struct ReleaseChoosers {
  let visit: PageVisit
  let form: QuestionForm
  let app: App
  let dashboards: [Dashboard]
  /// The team's conversions.
  let saved: [String]

  /// The most values of a menu.
  private static let values = 25

  func html(_ ask: PageVisit.Ask) async throws -> String {
    let (country, model, event) = (
      try values(of: "country", .country), try values(of: "model", .model), try events()
    )
    let ask = await ask.preparing([country, model, event])
    var menus = [
      menu("country", among: try await names(country, ask)), menu("model", among: try await names(model, ask)),
      segments(),
    ].compactMap { $0 }
    let events = try await names(event, ask)
    menus += ReleaseConversion.parameters.enumerated().map { conversion($1, number: $0 + 1, events) }
    let isSaved = ReleaseConversion.parameters.compactMap { form[$0] }.filter { $0 != ReleaseConversion.none } == saved
    return visit.templates.render(
      "choosers",
      [
        "menus": menus,
        "saving": !visit.reader.canEdit || isSaved
          ? nil
          : [
            "address": PortalLinks(app: app.id).question(.releases),
            "inputs": ReleaseConversion.parameters.compactMap { name in
              form[name].map { TemplateValues.hidden(name, $0) }
            }
              + [.hidden("query", form.query())],
          ] as TemplateValues,
      ])
  }

  /// Asks for the values with the most users, whichever of them is chosen.
  private func values(of name: String, _ dimension: QuestionDimension) throws(QuestionError) -> Question {
    let rows = form.rows.filter { $0.dimension != name }
    var scope = try form.filtered(by: FilterRows(rows, others: form.otherFilters)).scope()
    scope.filters.append(.isSet(dimension))
    return .query(
      QueryQuestion(scope: scope, metrics: [.plain(.users)], groups: [.init(dimension)], limit: Self.values))
  }

  private func events() throws(QuestionError) -> Question {
    var scope = QuestionScope(range: try form.range(), filters: [.isSet(.event)])
    scope.person = try form.scope().person
    return .query(
      QueryQuestion(scope: scope, metrics: [.plain(.events)], groups: [.init(.event)], limit: Self.values))
  }

  private func names(_ question: Question, _ ask: PageVisit.Ask) async throws -> [String] {
    guard case .query(let answer) = try await ask(question).answer else { return [] }
    return answer.rows.compactMap { $0.dimensions.first??.text }
  }

  /// A menu of the values of a dimension.
  private func menu(_ dimension: String, among values: [String]) -> TemplateValues {
    let chosen = form.rows.first { $0.dimension == dimension && $0.comparison == "is" }?.value
    let others = form.rows.filter { $0.dimension != dimension }
    func option(_ value: String?) -> TemplateValues {
      let rows = others + (value.map { [FilterRow(dimension, value: $0)] } ?? [])
      let text = value.map { valueText(.text($0), of: dimension) } ?? "All"
      return .link(
        text, link(form.filtered(by: FilterRows(rows, others: form.otherFilters)).query()), isActive: value == chosen)
    }
    let all = values + (chosen.map { values.contains($0) ? [] : [$0] } ?? [])
    return [
      "label": dimension == "model" ? "Device" : "Country",
      "chosen": chosen.map { valueText(.text($0), of: dimension) } ?? "all",
      "options": [option(nil)] + all.map { option($0) },
    ]
  }

  private func segments() -> TemplateValues? {
    guard !form.segments.isEmpty else { return nil }
    let chosen = form.segments.first { $0.id.description == form["segment"] }
    return [
      "label": "Segment", "chosen": chosen.map { shown($0.name, limit: 40) } ?? "everyone",
      "options": [.link("Everyone", link(form.query(["segment": nil])), isActive: chosen == nil)]
        + form.segments.map { segment -> TemplateValues in
          .link(
            shown(segment.name, limit: 60), link(form.query(["segment": segment.id.description])),
            isActive: segment.id == chosen?.id)
        },
    ]
  }

  /// A menu of conversions: events, and the funnels on the app's dashboards.
  private func conversion(_ name: String, number: Int, _ events: [String]) -> TemplateValues {
    let funnels = dashboards.flatMap(\.cards).filter { $0.page == QuestionPage.funnels.rawValue }
    let texts =
      events.compactMap { RowChoice(kind: "event", name: $0)?.text }
      + funnels.map { ReleaseConversion.funnel(query: $0.query) }
    let chosen = form[name] ?? ReleaseConversion.none
    let all = texts.contains(chosen) || chosen == ReleaseConversion.none ? texts : [chosen] + texts
    var seen: Set<String> = []
    func title(_ text: String) -> String {
      ReleaseConversion(text, segments: form.segments)?.title ?? "none"
    }
    return [
      "label": "Conversion \(number)", "chosen": title(chosen),
      "options": ([ReleaseConversion.none] + all).filter { seen.insert($0).inserted }.map { text -> TemplateValues in
        .link(titled(title(text)), link(form.query([(name, text)])), isActive: text == chosen)
      },
    ]
  }

  private func link(_ query: String) -> String { PortalLinks(app: app.id).question(.releases, query) }
}

extension QuestionFormPage {
  /// The errors that are new in releases, by name; `nil` if there are none.
  func newErrors(_ view: QuestionView, days: ClosedRange<Day>) async throws -> AnswerGrid? {
    guard !view.newErrors.isEmpty else { return nil }
    let wanted = Set(view.newErrors.flatMap(\.groups).map { Int64($0) })
    let groups = try await store.errorGroups(app: app.id, group: nil, days: days, limit: .max).filter {
      wanted.contains($0.id)
    }
    let links = PortalLinks(app: app.id)
    let rows = view.newErrors.flatMap { version, numbers in
      groups.filter { numbers.contains(Int($0.id)) }.map { group -> [TemplateValues] in
        [
          .head(shown(group.type, limit: 80), link: links.page(AppReports.error, [.group: String(group.id)])),
          .cell(shown(group.message, empty: "–", limit: 120), style: "name"), .cell(shown(version, limit: 60)),
          .cell(grouped(group.count)), .cell(grouped(group.users)),
        ]
      }
    }
    guard !rows.isEmpty else { return nil }
    return AnswerGrid(
      heading: "New errors",
      about: "Crashes and handled errors whose first occurrence ever was in a release of this page.",
      columns: ["Error", "Message", "New in", "Occurrences", "Users"], rows: Array(rows.prefix(100)), id: "new-errors")
  }
}
