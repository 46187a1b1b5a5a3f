import Alerts
import Questions
import Reports
import TernBase
package import Warehouse

/// The page that asks a question.
package struct QuestionFormPage: Page {
  let visit: PageVisit
  let page: QuestionPage
  let parameters: [String: String]
  let app: App
  let apps: [App]
  let days: ClosedRange<Day>
  let store: any MetricsStore
  let dashboards: [Dashboard]
  let conversions: [String]
  let ask: PageVisit.Ask

  /// - Parameters:
  ///   - parameters: The parameters of the address, which are the state of the form.
  ///   - days: The days whose names are suggested; the last is today.
  ///   - store: The metrics, for suggestions of names.
  ///   - dashboards: The dashboards that the question can be saved to.
  ///   - conversions: The team's conversions, which the page of releases shows.
  ///   - ask: Answers the page's questions.
  package init(
    _ visit: PageVisit, _ page: QuestionPage, _ parameters: [String: String], app: App, apps: [App],
    days: ClosedRange<Day>, from store: any MetricsStore, dashboards: [Dashboard] = [],
    conversions: [String] = [], ask: PageVisit.Ask
  ) {
    (self.visit, self.page, self.parameters, self.app, self.apps, self.days, self.store, self.dashboards, self.ask) = (
      visit, page, parameters, app, apps, days, store, dashboards, ask
    )
    self.conversions = conversions
  }

  package func html() async throws -> String {
    let form = QuestionForm(page, parameters, segments: visit.segments)
    // The first page of an app begins with the sample code, which contains the app's key.
    if page == .releases, visit.reader.canEdit, try await store.recent(app: app.id, limit: 1).isEmpty {
      var shell = Shell(app: app, apps: apps, report: nil, title: page.title)
      shell.question = page
      return EmptyAppPage(visit: visit, app: app, shell: shell).html()
    }
    // Read while the question is answered. The reader of a shared link has no form.
    async let names = visit.reader.isGuest ? [] : names(app, days, store)
    var answer = QuestionView()
    var choosers = ""
    var faults: [String: String] = [:]
    do {
      answer = try await page.definition.view(visit, form, app, days.upperBound, ask)
      if page == .releases, !visit.reader.isGuest {
        choosers = try await ReleaseChoosers(
          visit: visit, form: form, app: app, dashboards: dashboards, saved: conversions
        ).html(ask)
        let asked = try form.range().resolved(today: days.upperBound)
        if let errors = try await newErrors(answer, days: asked) { answer.grids.append(errors) }
      }
    } catch let error as QuestionError {
      // Guests have no form.
      if let fault = form.fault(error), !visit.reader.isGuest {
        faults = [fault.field: fault.words]
      } else {
        answer.message = form.message(error)
      }
    }
    faults.merge(visit.words(of: form.namedFields)) { fault, _ in fault }
    let links = PortalLinks(form, app: app.id, today: days.upperBound)
    var builder = builder(form, links)
    (builder.faults, builder.names) = (faults, try await names)
    // A form that lacks something is open.
    builder.isOpen = (try? form.question()) == .some(nil)
    // A page may have chosen the buckets of a property, which its form doesn't name.
    let shownForm = answer.bins.map { form.choosing($0) } ?? form
    let files = downloads(shownForm, links, today: days.upperBound)
    let values: TemplateValues = [
      "explanation": page.definition.explanation, "builder": visit.reader.isGuest ? "" : visit.html(builder),
      "choosers": choosers,
      "message": answer.message.map { visible($0) },
      "emptyState": answer.emptyState.map { ["heading": $0.heading, "text": $0.text] as TemplateValues },
      "tiles": answer.tiles, "pictures": answer.pictures.map { TemplateValues.picture($0) },
      "grids": answer.grids.map(\.values), "foldsGrids": answer.foldsGrids,
      "hasCommands": !visit.reader.isGuest && !files.isEmpty,
      "commands": visit.reader.isGuest ? [] : commands(shownForm, app),
      "saving": saving(form, app, dashboards), "alert": alert(form, app),
      "answered": visit.reader.isGuest ? nil : answer.facts,
      "downloads": files,
    ]
    var shell = Shell(app: app, apps: apps, report: nil, title: page.title)
    shell.question = page
    shell.links = links
    shell.asked = asked(form, today: days.upperBound)
    shell.share = form.page == .people || builder.isOpen ? nil : links.share(page.rawValue, form.query())
    if form["group"] == "error", let error = form["error"], Int64(error) != nil {
      shell.breadcrumb = .link("This error", links.page(AppReports.error, [.group: error]))
    }
    return visit.page(shell, body: visit.templates.render("question", values))
  }

  /// The form of a page that asks a question.
  private func builder(_ form: QuestionForm, _ links: PortalLinks) -> Builder {
    let definition = form.page.definition
    let compares = form.page != .people && form.page != .releases
    var builder = Builder(
      action: links.question(form.page), links: links, hidden: form.hidden,
      sentence: definition.sentence(form) + form.daysFields + (compares ? [form.compareField] : []),
      more: definition.more(form) + [form.identityField],
      filters: FilterRows(form.rows, others: form.otherFilters), segment: visit.segmentField(form["segment"]),
      saving: visit.reader.canEdit ? links.page(.segments) : nil
    ) { filters in
      links.question(form.page, form.filtered(by: filters).query())
    }
    if form.page == .people { builder.sentence[0].word = "Users" + form.groupText }
    return builder
  }

  /// Describes the question of a form in words.
  private func asked(_ form: QuestionForm, today: Day) -> Shell.Asked {
    var scope = QuestionScope()
    let range = try? form.range()
    if let range { scope.range = range }
    let days = range?.resolved(today: today)
    return Shell.Asked(
      days: days?.text, comparison: try? form.comparison(of: scope, today: today),
      isOpen: days?.contains(today) ?? false,
      filters: visit.filterWords(
        FilterRows(form.rows, others: form.otherFilters), segment: form["segment"].flatMap { Int64($0) }))
  }

  /// The link that starts an alert with the page's figure; `nil` for readers who cannot edit, and pages without one.
  private func alert(_ form: QuestionForm, _ app: App) -> TemplateValues? {
    guard visit.reader.canEdit, (try? form.question()) != nil else { return nil }
    let links = PortalLinks(app: app.id)
    return switch form.page {
    case .explore: .link("Watch this", links.alert(form.query()))
    case .funnels: .link("Watch this", links.alert("funnels?\(form.query())"))
    case .releases:
      .link(
        "Watch crash-free users",
        links.alert(
          AddressText.joined([AlertForm.crashFreeQuery, AddressText.query(FilterRow.parameters(form.rows))])))
    case .retention, .paths, .lifecycle, .people: nil
    }
  }

  /// The form that saves a question as a card; `nil` for readers who cannot edit, and while the question lacks something.
  private func saving(_ form: QuestionForm, _ app: App, _ dashboards: [Dashboard]) -> TemplateValues? {
    guard visit.reader.canEdit, form.page != .people, (try? form.question()) != nil else { return nil }
    return [
      "address": PortalLinks(app: app.id).page(.dashboards), "page": form.page.rawValue, "query": form.query(),
      "proposal": form.proposedName,
      "dashboards": dashboards.map { ["value": $0.id.description, "text": shown($0.name)] as TemplateValues },
    ]
  }

  /// The most frequent names of events and screens.
  private func names(_ app: App, _ days: ClosedRange<Day>, _ store: any MetricsStore) async throws -> [TemplateValues] {
    var names: [TemplateValues] = []
    for (dimension, kind) in [(Dimension.event, "event"), (.screen, "screen")] {
      names += try await store.totals(app: app.id, dimension: dimension, days: days, limit: 100).map { total in
        ["value": total.key, "kind": kind, "text": "\(kind), \(times(total.count))"]
      }
    }
    return names
  }
}

extension PortalLinks {
  /// The address of a page that asks a question.
  func question(_ page: QuestionPage, _ query: String = "") -> String {
    "/apps/\(app)/\(page.rawValue)" + (query.isEmpty ? "" : "?\(query)")
  }
}
