import Reports
import Warehouse

/// The frame around the content of an app's page: navigation, title, date range, notes.
struct Shell {
  var app: App
  var apps: [App]
  /// The report; `nil` on the pages of views and settings.
  var report: ReportDefinition?
  var title: String
  /// The link above the title, for example to the list that contains an event.
  var breadcrumb: Breadcrumb?
  /// The request, if the page shows a report.
  var request: ReportRequest?
  /// True if the page shows the request's date range and lets the reader change it.
  var hasRange = true
  /// False for a page of one thing, whose request may have a filter only for the links to other pages.
  var hasFilter = true
  var script: String?
  /// The addresses of other pages with the state of this one; by default those of the request.
  var links: PortalLinks?
  /// The page that asks a question; `nil` on all others.
  var question: QuestionPage?
  /// The sides that changes compare; `nil` on pages without changes.
  var comparison: Comparison?
  /// The place of other pages in the navigation.
  var place: AppPlace?
  /// The address of the form that shares the page; `nil` for pages that can't be shared.
  var share: String?
  /// The control of days of a page that shows no report.
  var range: RangeControl?
  /// The question of the page in words. Readers of a shared link see it instead of the form.
  var asked: Asked?

  /// The request whose range the page shows; `nil` for pages without a range.
  var ranged: ReportRequest? { hasRange ? request : nil }
  /// The time zone of the page's days.
  var timeZone: String { request?.zone.identifier ?? app.timeZone }

  /// A link to the page above.
  struct Breadcrumb {
    var values: TemplateValues { .link(text, link) }

    private let text: String
    private let link: String

    static func link(_ text: String, _ link: String) -> Breadcrumb { Breadcrumb(text: text, link: link) }
  }

  /// The days, the other side and the filters of a question.
  struct Asked {
    var days: String?
    var comparison: Comparison?
    var isOpen = false
    var filters: [String] = []
  }
}
