import Questions
import Reports
import ServerBase
package import Warehouse

/// The page of an app's dashboards: the cards of one, and forms that post to it.
package struct DashboardPage: Page {
  let visit: PageVisit
  let current: Dashboard?
  let dashboards: [Dashboard]
  let app: App
  let apps: [App]
  let today: Day
  let scope: DashboardScope
  let isFullScreen: Bool
  let result: FormResult
  let ask: PageVisit.Ask

  /// - Parameters:
  ///   - current: The dashboard with the cards; `nil` if the app has none.
  ///   - dashboards: All dashboards, for switching between them.
  ///   - scope: The filter and the days of all cards.
  ///   - isFullScreen: True to leave the navigation out, for a screen on a wall.
  ///   - ask: Answers the cards' questions. A `QuestionError` is shown on its card.
  package init(
    _ visit: PageVisit, _ current: Dashboard?, of dashboards: [Dashboard], app: App, apps: [App], today: Day,
    scope: DashboardScope = DashboardScope(), isFullScreen: Bool = false, result: FormResult = FormResult(),
    ask: PageVisit.Ask
  ) {
    (
      self.visit, self.current, self.dashboards, self.app, self.apps, self.today, self.scope, self.isFullScreen,
      self.result, self.ask
    ) = (visit, current, dashboards, app, apps, today, scope, isFullScreen, result, ask)
  }

  package func html() async throws -> String {
    let links = PortalLinks(scope, app: app, today: today)
    let all = Array((current?.cards ?? []).enumerated())
    let ask = await ask.preparing(
      all.flatMap { index, card in
        form(of: card, number: index).map { $0.page.definition.together($0, today) } ?? []
      })
    // Two at a time, as questions are answered. More would only take the room in the queue from other readers.
    async let first = self.cards(all.filter { $0.offset % 2 == 0 }, app, today: today, ask)
    async let second = self.cards(all.filter { $0.offset % 2 == 1 }, app, today: today, ask)
    let (even, odd) = (try await first, try await second)
    let cards = all.indices.map { $0 % 2 == 0 ? even[$0 / 2] : odd[$0 / 2] }
    let tabs = dashboards.map { dashboard -> TemplateValues in
      .link(shown(dashboard.name), links.dashboard(dashboard.id, scope), isActive: dashboard.id == current?.id)
    }
    let days = scope.range?.resolved(today: today)
    if isFullScreen, let current {
      let values: TemplateValues = [
        "appName": shown(app.name), "heading": shown(current.name), "cards": cards,
        "back": links.dashboard(current.id, scope), "timeZone": app.timeZone, "rangeDays": days?.text,
        "mistake": scope.mistake?.message,
        "filtered": scope.filter.isEmpty ? nil : filterBar(current, links).words, "every": Self.secondsBetweenRefreshes,
      ]
      return visit.layout(
        title: "\(shown(current.name)) · \(shown(app.name))", body: visit.templates.render("dashboardfull", values),
        script: Self.script)
    }
    let values: TemplateValues = [
      "message": result.message.map { visible($0) }, "tabs": tabs, "hasTabs": tabs.count > 1, "cards": cards,
      "none": cards.isEmpty ? (current == nil ? "No dashboards yet" : "No cards yet") : nil,
      "edit": visit.reader.canEdit
        ? current.map { ["address": links.dashboard($0.id, scope), "name": $0.name] as TemplateValues } : nil,
      "full": cards.isEmpty || visit.reader.isGuest
        ? nil
        : current.map { links.dashboard($0.id, scope, "view=full") },
      "filterBar": cards.isEmpty || visit.reader.isGuest ? nil : current.map { visit.html(filterBar($0, links)) },
      "every": Self.secondsBetweenRefreshes, "creation": visit.reader.canEdit ? links.page(.dashboards) : nil,
      "changed": visit.reader.isGuest
        ? nil : current.map { "Changed \(listed($0.changed, of: app)) by \(shown($0.author, empty: "–"))." },
    ]
    var shell = Shell(app: app, apps: apps, report: nil, title: current.map { shown($0.name) } ?? "Dashboards")
    shell.place = .dashboards
    shell.links = links
    shell.script = Self.script
    shell.range = cards.isEmpty ? nil : current.map { RangeControl($0, scope, today: today) }
    shell.asked = Shell.Asked(
      days: days?.text, isOpen: days?.contains(today) ?? false,
      filters: visit.filterWords(FilterRows(json: scope.filter.json), segment: scope.filter.segment))
    shell.share = current.map { links.share(SharedContent.dashboards, SharedContent.query($0, scope)) }
    return visit.page(shell, body: visit.templates.render("dashboard", values))
  }

  private func cards(
    _ cards: [(offset: Int, element: DashboardCard)], _ app: App, today: Day,
    _ ask: PageVisit.Ask
  ) async throws -> [TemplateValues] {
    var shown: [TemplateValues] = []
    for (index, card) in cards {
      shown.append(try await self.card(card, number: index, app, today: today, ask))
    }
    return shown
  }

  private func card(
    _ card: DashboardCard, number: Int, _ app: App, today: Day, _ ask: PageVisit.Ask
  ) async throws -> TemplateValues {
    var view = QuestionView()
    var link: String?
    if let form = form(of: card, number: number) {
      link = PortalLinks(app: app.id).question(form.page, form.query())
      do {
        // A filter that can't be read must not mean everything.
        _ = try scope.filter.filters(visit.segments)
        view = try await form.page.definition.view(visit, form, app, today, ask)
      } catch let error as QuestionError {
        view.message = form.message(error)
      }
    } else {
      view.message = "This version of Tern has no page \"\(card.page)\"."
    }
    let grid = view.pictures.isEmpty ? view.grids.first : nil
    let isCut = (grid?.rows.count ?? 0) > Self.cardRows
    return [
      "name": shown(card.name), "target": link, "figure": view.figure?.values, "picture": view.pictures.first?.content,
      "grids": grid.map { [$0.shortened(to: Self.cardRows).values] } ?? [], "isWide": card.isWide,
      "part": isCut ? grid.map { "\(Self.cardRows) of \(counted($0.rows.count, "row"))" } : view.pictures.first?.note,
      "remark": view.pictures.isEmpty && view.grids.isEmpty ? nil : view.note,
      "text": view.message.map { visible($0) } ?? view.emptyState?.text, "unknown": visit.unknownWords(of: card),
      "place": number.description, "menu": menu(card, number: number),
    ]
  }

  /// The form of a card with what the dashboard says about all cards; `nil` for a page that doesn't exist.
  private func form(of card: DashboardCard, number: Int) -> QuestionForm? {
    guard let page = QuestionPage(rawValue: card.page) else { return nil }
    var form = QuestionForm(page, URLEncodedForm(card.query).values, segments: visit.segments).adding(scope)
    form.card = number
    return form
  }

  /// The rows of a table on a card: as high as a chart.
  private static let cardRows = 8

  /// The time after which the script reads the figures again. Answers may be as old.
  private static let secondsBetweenRefreshes = "60"
  private static let script = "dashboard.js"

  /// The forms that change a card; `nil` for readers who cannot.
  private func menu(_ card: DashboardCard, number: Int) -> TemplateValues? {
    guard visit.reader.canEdit, !isFullScreen, let current else { return nil }
    return [
      "address": PortalLinks(app: app.id).dashboard(current.id, scope), "number": number.description,
      "raw": card.name, "caption": shown(card.name), "before": number > 0 ? (number - 1).description : nil,
      "after": number + 1 < current.cards.count ? (number + 1).description : nil,
      "width": card.isWide ? "narrow" : "wide", "widthText": card.isWide ? "Make narrow" : "Make wide",
    ]
  }

  /// The form that filters all cards of a dashboard.
  func filterBar(_ dashboard: Dashboard, _ links: PortalLinks) -> Builder {
    Builder(
      action: links.dashboard(dashboard.id), links: links,
      hidden: scope.rangeParameters.compactMap { parameter in parameter.value.map { .hidden(parameter.name, $0) } },
      filters: FilterRows(json: links.filter.json),
      segment: visit.segmentField(links.filter.segment?.description),
      faults: links.filter.faults(visit.segments).merging(visit.hints(links.filter)) { fault, _ in fault },
      saving: visit.reader.canEdit ? links.page(.segments) : nil
    ) { filters in
      let filter = ReportFilter(json: filters.json, segment: scope.filter.segment)
      return links.dashboard(dashboard.id, scope.filtered(by: filter))
    }
  }
}

extension AppPlace {
  package static let dashboards = AppPlace("Dashboards", "dashboards", right: .read)
}
