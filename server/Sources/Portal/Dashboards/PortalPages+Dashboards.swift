package import Questions
package import Reports
import ServerBase
package import Warehouse

extension PortalPages {
  /// The page of an app's dashboards: the cards of one, and forms that post to it.
  ///
  /// - Parameters:
  ///   - current: The dashboard with the cards; `nil` if the app has none.
  ///   - dashboards: All dashboards, for switching between them.
  ///   - filter: What all cards are filtered by, in addition to their own filters.
  ///   - isFullScreen: True to leave the navigation out and to read the figures again every minute, for a screen on a wall.
  ///   - ask: Answers the cards' questions. A `QuestionError` is shown on its card.
  package func dashboard(
    _ current: Dashboard?, of dashboards: [Dashboard], app: App, apps: [App], today: Day,
    filter: ReportFilter = ReportFilter(), isFullScreen: Bool = false, result: FormResult = FormResult(),
    ask: @Sendable (Question) async throws -> AnsweredQuestion
  ) async throws -> String {
    var links = PortalLinks(app: app.id)
    links.filter = filter
    let all = Array((current?.cards ?? []).enumerated())
    // Two at a time, as questions are answered. More would only take the room in the queue from other readers.
    async let first = self.cards(all.filter { $0.offset % 2 == 0 }, filter, app, today: today, ask)
    async let second = self.cards(all.filter { $0.offset % 2 == 1 }, filter, app, today: today, ask)
    let (even, odd) = (try await first, try await second)
    let cards = all.indices.map { $0 % 2 == 0 ? even[$0 / 2] : odd[$0 / 2] }
    let tabs = dashboards.map { dashboard -> TemplateValues in
      .link(shown(dashboard.name), links.filtered(links.dashboard(dashboard.id)), isActive: dashboard.id == current?.id)
    }
    if isFullScreen, let current {
      let values: TemplateValues = [
        "appName": shown(app.name), "heading": shown(current.name), "cards": cards,
        "back": links.filtered(links.dashboard(current.id)), "timeZone": app.timeZone,
        "filtered": filter.isEmpty ? nil : filterBar(current, links).words,
      ]
      return layout(
        title: "\(shown(current.name)) · \(shown(app.name))", body: templates.render("dashboardfull", values))
    }
    let values: TemplateValues = [
      "message": result.message.map { visible($0) }, "tabs": tabs, "hasTabs": tabs.count > 1, "cards": cards,
      "none": cards.isEmpty ? (current == nil ? "No dashboards yet" : "No cards yet") : nil,
      "edit": reader.canEdit ? current.map { edit($0, links) } : nil,
      "full": cards.isEmpty || reader.isGuest
        ? nil
        : current.map { AddressText.joined([links.dashboard($0.id) + "?view=full", links.filterQuery]) },
      "filterBar": cards.isEmpty || reader.isGuest ? nil : current.map { html(filterBar($0, links)) },
      "creation": reader.canEdit ? links.page(.dashboards) : nil,
      "changed": reader.isGuest
        ? nil : current.map { "Changed \(listed($0.changed, of: app)) by \(shown($0.author, empty: "–"))." },
    ]
    var shell = Shell(app: app, apps: apps, report: nil, title: current.map { shown($0.name) } ?? "Dashboards")
    shell.place = .dashboards
    shell.links = links
    shell.asked = Shell.Asked(filters: filterWords(FilterRows(json: filter.json), segment: filter.segment))
    shell.share = current.map { links.share(SharedContent.dashboards, SharedContent.query(dashboard: $0.id, links)) }
    return self.page(shell, body: templates.render("dashboard", values))
  }

  /// The days of the questions on a dashboard, from the first to the last; `nil` if it has none.
  package func days(of dashboard: Dashboard, today: Day) -> ClosedRange<Day>? {
    dashboard.cards.compactMap { card in
      QuestionPage(rawValue: card.page).flatMap { days($0, URLEncodedForm(card.query).values, today: today) }
    }.reduce(nil) { all, days in
      all.map { min($0.lowerBound, days.lowerBound)...max($0.upperBound, days.upperBound) } ?? days
    }
  }

  /// Checks that a card has a question, and returns it with the parameters that its page knows.
  package func checked(_ card: DashboardCard) throws(QuestionError) -> DashboardCard {
    guard let page = QuestionPage(rawValue: card.page) else {
      throw QuestionError("\"\(card.page)\" is not a page that asks a question.", at: "$.page")
    }
    _ = try page.sharedQuestion(query: card.query, segments: segments)
    let form = QuestionForm(page, URLEncodedForm(card.query).values, segments: segments)
    var checked = card
    checked.query = form.query()
    return checked
  }

  private func cards(
    _ cards: [(offset: Int, element: DashboardCard)], _ filter: ReportFilter, _ app: App, today: Day, _ ask: Ask
  ) async throws -> [TemplateValues] {
    var shown: [TemplateValues] = []
    for (index, card) in cards {
      shown.append(try await self.card(card, number: index, filter, app, today: today, ask))
    }
    return shown
  }

  private func card(
    _ card: DashboardCard, number: Int, _ filter: ReportFilter, _ app: App, today: Day, _ ask: Ask
  ) async throws -> TemplateValues {
    var view = QuestionView()
    var link: String?
    if let page = QuestionPage(rawValue: card.page) {
      var form = QuestionForm(page, URLEncodedForm(card.query).values, segments: segments).adding(filter)
      form.card = number
      link = PortalLinks(app: app.id).question(page, form.query())
      do {
        view = try await page.definition.view(self, form, app, today, ask)
      } catch let error as QuestionError {
        view.message = form.message(error)
      }
    } else {
      view.message = "This version of Tern has no page \"\(card.page)\"."
    }
    let grid = view.pictures.isEmpty ? view.grids.first : nil
    let isCut = (grid?.rows.count ?? 0) > Self.cardRows
    return [
      "name": shown(card.name), "target": link, "picture": view.pictures.first?.content,
      "grids": grid.map { [$0.shortened(to: Self.cardRows).values] } ?? [], "isWide": card.isWide,
      "part": isCut ? grid.map { "\(Self.cardRows) of \(counted($0.rows.count, "row"))" } : view.pictures.first?.note,
      "remark": view.pictures.isEmpty && view.grids.isEmpty ? nil : view.note,
      "text": view.message.map { visible($0) } ?? view.emptyState?.text, "unknown": unknownWords(of: card),
    ]
  }

  /// The rows of a table on a card: as high as a chart.
  private static let cardRows = 8

  private func edit(_ dashboard: Dashboard, _ links: PortalLinks) -> TemplateValues {
    let last = dashboard.cards.count - 1
    return [
      "address": links.filtered(links.dashboard(dashboard.id)), "name": dashboard.name,
      "items": dashboard.cards.enumerated().map { index, card -> TemplateValues in
        [
          "number": index.description, "raw": card.name, "caption": shown(card.name), "isMovable": index > 0,
          "isLast": index == last, "width": card.isWide ? "narrow" : "wide",
          "widthText": card.isWide ? "Narrow" : "Wide",
        ]
      },
    ]
  }
}

extension PortalLinks {
  /// The address of a dashboard.
  func dashboard(_ id: Int64) -> String { "\(page(.dashboards))/\(id)" }
}

extension AppPlace {
  package static let dashboards = AppPlace("Dashboards", "dashboards", isForReaders: true)
}
