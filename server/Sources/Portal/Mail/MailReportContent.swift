package import Alerts
package import Outgoing
import Questions
import Reports
import ServerBase
import TernEvents
package import Warehouse

/// The texts and figures of a report by mail.
package struct MailReportContent: Sendable, Equatable {
  /// The subject of the mail, without the name of the app.
  package var title: String
  package var text: String
  package var sections: [MailSection]
  /// The path of the page with more, below the portal's address.
  package var path: String

  package init(title: String, text: String, sections: [MailSection], path: String) {
    (self.title, self.text, self.sections, self.path) = (title, text, sections, path)
  }
}

extension MailReport {
  /// The title of the overview, or the name of the dashboard.
  ///
  /// - Parameter dashboards: The app's dashboards.
  package func name(among dashboards: [Dashboard]) -> String {
    switch subject {
    case .overview: AppReports.overview.title
    case .dashboard(let id): dashboards.first { $0.id == id }.map { shown($0.name) } ?? "Dashboard \(id)"
    }
  }
}

extension MailPeriod {
  /// The period in words, such as `Thu, 26 Nov 2026`, `16 Nov – 22 Nov 2026` or `Nov 2026`.
  package var text: String { text(of: days) }

  /// The period before, in the same format.
  var beforeText: String { text(of: before) }

  private func text(of days: ClosedRange<Day>) -> String {
    switch cadence {
    case .day: days.lowerBound.weekdayText
    case .week: days.text
    case .month: "\(days.lowerBound.monthText) \(days.lowerBound.components.year)"
    }
  }
}

extension MailSection {
  /// The headings of figures with their changes.
  static func columns(_ period: MailPeriod) -> [String] { ["", period.text, "Change", "Before"] }
}

extension MailSection.Row {
  /// A figure, its change and the figure before.
  init(_ name: String, _ current: Double?, before: Double?, _ format: ChartFormat, share: Double? = nil) {
    var change: String?
    if let current, let before {
      if format == .highShare {
        change = Change(shares: current, before: before).text
      } else if before >= 0 {
        // A change in percent of a negative figure means nothing.
        change = Change(current, before: before, note: "")?.text
      }
    }
    self.init([name, format.text(current), change ?? "–", format.text(before)], share: share)
  }
}

extension MailSection.Sparkline {
  /// A figure per day, with its lowest and highest value.
  init(_ name: String, _ days: ClosedRange<Day>, _ values: [Double?], _ format: ChartFormat) {
    let known = values.compactMap(\.self)
    let span = known.min().flatMap { low in known.max().map { "\(format.text(low)) to \(format.text($0))" } }
    self.init("\(name) per day, \(days.text)\(span.map { " (\($0))" } ?? "")", values)
  }
}
