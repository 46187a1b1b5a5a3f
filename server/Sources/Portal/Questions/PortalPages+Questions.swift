package import Questions
package import Reports
import TernBase
package import Warehouse

extension PortalPages {
  /// Answers a question of a page; throws `QuestionError` beyond the limits.
  package typealias Ask = @Sendable (Question) async throws -> AnsweredQuestion

  /// The page that asks a question.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the address, which are the state of the form.
  ///   - days: The days whose names are suggested; the last is today.
  ///   - store: The metrics, for suggestions of names.
  ///   - dashboards: The dashboards that the question can be saved to.
  ///   - ask: Answers the page's questions.
  package func question(
    _ page: QuestionPage, _ parameters: [String: String], app: App, apps: [App], days: ClosedRange<Day>,
    from store: any MetricsStore, dashboards: [Dashboard] = [], ask: Ask
  ) async throws -> String {
    let form = QuestionForm(page, parameters, segments: segments)
    // Read while the question is answered.
    async let names = names(app, days, store)
    var answer = QuestionView()
    do {
      answer = try await page.definition.view(self, form, app, days.upperBound, ask)
    } catch let error as QuestionError {
      answer.message = error.path == "$" ? error.message : "\(error.message) (\(error.path))"
    }
    let links = PortalLinks(app: app.id)
    let values: TemplateValues = [
      "explanation": page.definition.explanation, "action": links.question(page), "values": links.values,
      "properties": links.properties, "hidden": form.hidden,
      "fields": page.definition.fields(form),
      "common": form.shared, "filters": form.filterRows, "message": answer.message.map { visible($0) },
      "calm": answer.calm.map { ["heading": $0.heading, "text": $0.text] as TemplateValues },
      "tiles": answer.tiles, "pictures": answer.pictures.map { TemplateValues.picture($0) },
      "pairs": page.definition.pairs(form),
      "grids": answer.grids, "curl": curl(form, app), "saving": saving(form, app, dashboards),
      "segment": segment(form, app), "answered": answer.facts,
      "downloads": ["csv", "json", "ndjson"].map { format in
        TemplateValues.link(
          format.uppercased(),
          links.question(page, [form.query(), "format=\(format)"].filter { !$0.isEmpty }.joined(separator: "&")))
      },
      "names": try await names, "dimensions": Self.dimensions,
    ]
    var shell = Shell(app: app, apps: apps, report: nil, title: page.title)
    shell.question = page
    return self.page(shell, body: templates.render("question", values))
  }

  /// The page's main question; `nil` while the form lacks something.
  package func question(_ page: QuestionPage, _ parameters: [String: String]) throws(QuestionError) -> Question? {
    try QuestionForm(page, parameters, segments: segments).question()
  }

  /// The form that saves a question as a card; `nil` for readers who cannot edit, and while the question lacks something.
  private func saving(_ form: QuestionForm, _ app: App, _ dashboards: [Dashboard]) -> TemplateValues? {
    guard reader.canEdit, form.page != .people, (try? form.question()) != nil else { return nil }
    return [
      "address": PortalLinks(app: app.id).dashboards, "page": form.page.rawValue, "query": form.query(),
      "dashboards": dashboards.map { ["value": $0.id.description, "text": shown($0.name)] as TemplateValues },
    ]
  }

  /// The form that saves the filters of a page as a segment; `nil` without filters, and for readers who cannot edit.
  private func segment(_ form: QuestionForm, _ app: App) -> TemplateValues? {
    let filters = form.plainFilters
    guard reader.canEdit, !filters.isEmpty else { return nil }
    return [
      "address": PortalLinks(app: app.id).segments,
      "filters": String(decoding: JSONTree.array(filters).encoded, as: UTF8.self),
    ]
  }

  /// The days of a page's question; `nil` while the form lacks something.
  package func days(_ page: QuestionPage, _ parameters: [String: String], today: Day) -> ClosedRange<Day>? {
    (try? question(page, parameters))??.scope.range.resolved(today: today)
  }

  /// The dimensions that fields suggest.
  static let dimensions = [
    "event", "screen", "version", "os", "model", "country", "language", "property:",
  ]

  /// The most frequent names of events and screens.
  private func names(_ app: App, _ days: ClosedRange<Day>, _ store: any MetricsStore) async throws -> [String] {
    let events = try await store.totals(app: app.id, dimension: .event, days: days, limit: 100)
    let screens = try await store.totals(app: app.id, dimension: .screen, days: days, limit: 100)
    return (events + screens).map(\.key)
  }

  /// The command that asks the same of the API.
  private func curl(_ form: QuestionForm, _ app: App) -> String? {
    guard let question = try? form.withoutSegment.question() else { return nil }
    let body = String(decoding: question.json(segment: form["segment"].flatMap { Int($0) }).encoded, as: UTF8.self)
    return """
      curl \(Self.shellWord("\(collector)/api/v1/apps/\(app.id)/\(question.kind.rawValue)")) \\
        -H "Authorization: Bearer $TOKEN" \\
        -d \(Self.shellWord(body))
      """
  }
}

extension PortalLinks {
  /// The address of a page that asks a question.
  func question(_ page: QuestionPage, _ query: String = "") -> String {
    "/apps/\(app)/\(page.rawValue)" + (query.isEmpty ? "" : "?\(query)")
  }
}
