package import Alerts
import Outgoing
import Questions
import Reports
import ServerBase
package import TernEvents
package import Warehouse

/// Reads the figures of reports by mail.
package struct MailReportWriter: Sendable {
  /// The app's saved segments.
  let segments: [SavedSegment]

  package init(segments: [SavedSegment]) { self.segments = segments }

  /// Reads the figures of a report; `nil` if its dashboard is gone.
  ///
  /// A question that fails, for example because it takes too long, is replaced by its error message.
  ///
  /// - Parameters:
  ///   - dashboards: The app's dashboards.
  ///   - store: The store that the overview is read from.
  ///   - ask: Answers the questions of cards.
  package func content(
    _ report: MailReport, of app: App, dashboards: [Dashboard], _ period: MailPeriod, from store: any MetricsStore,
    now: Timestamp, ask: PageVisit.Ask
  ) async throws -> MailReportContent? {
    let name = report.name(among: dashboards)
    var content = MailReportContent(
      title: "\(name), \(period.text)",
      text: "The figures for \(period.text), compared with \(period.beforeText). Days are those of \(app.timeZone).",
      sections: [], path: "/apps/\(app.id)/overview?from=\(period.days.lowerBound)&to=\(period.days.upperBound)")
    switch report.subject {
    case .overview: content.sections = try await overview(app, period, from: store, now: now)
    case .dashboard(let id):
      guard let dashboard = dashboards.first(where: { $0.id == id }) else { return nil }
      content.path = PortalLinks(app: app.id).dashboard(id)
      for card in dashboard.cards { content.sections.append(try await section(card, period, ask)) }
      if dashboard.cards.isEmpty { content.sections = [MailSection(name, note: "This dashboard has no cards.")] }
    }
    return content
  }

  private func section(_ card: DashboardCard, _ period: MailPeriod, _ ask: PageVisit.Ask) async throws
    -> MailSection
  {
    let heading = shown(card.name)
    guard let page = QuestionPage(rawValue: card.page) else {
      return MailSection(heading, note: "This version of Tern has no page \"\(shown(card.page))\".")
    }
    let form = QuestionForm(page, URLEncodedForm(card.query).values, segments: segments)
    do {
      // Refuses questions that name persons, as dashboards do.
      let question = try page.sharedQuestion(query: card.query, segments: segments)
      switch page {
      case .explore: return try await MailFigures(form, period, ask).explore(heading)
      case .funnels: return try await MailFigures(form, period, ask).funnel(heading)
      case .retention, .paths, .lifecycle, .people, .releases:
        return try await MailFigures(form, period, ask).table(heading, question)
      }
    } catch let error as QuestionError {
      return MailSection(heading, note: visible(error.message))
    }
  }
}
