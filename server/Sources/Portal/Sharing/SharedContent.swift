import Questions
package import Reports
import ServerBase
package import TernEvents
package import Warehouse

/// The page that a shared link shows, with everything that its address says.
package enum SharedContent: Sendable {
  case report(ReportRequest)
  case question(QuestionPage, [String: String])
  case dashboard(Dashboard, DashboardScope)

  /// The name of dashboards as a page of a link.
  package static let dashboards = "dashboards"

  /// The query of a link to a dashboard, with what it says about all cards.
  static func query(_ dashboard: Dashboard, _ scope: DashboardScope) -> String {
    var links = PortalLinks(app: dashboard.app)
    links.filter = scope.filter
    return AddressText.joined(["dashboard=\(dashboard.id)", scope.rangeQuery, links.filterQuery])
  }
}

extension CatalogEditor {
  /// Returns what a shared link shows now, with a relative range up to today; `nil` if its dashboard is gone.
  package func content(of link: SharedLink, app: App, now: Timestamp) throws -> SharedContent? {
    let parameters = URLEncodedForm(link.query).values
    if link.report == SharedContent.dashboards {
      return try dashboards(app: app.id).first { $0.id.description == parameters["dashboard"] }
        .map { .dashboard($0, DashboardScope(in: parameters)) }
    }
    if let page = QuestionPage(rawValue: link.report) { return .question(page, parameters) }
    return .report(
      try ReportRequest(
        link.report, of: try subject(view: parameters["view"], of: app), parameters: ReportFilter.merged(parameters),
        now: now))
  }

  /// Checks that a page can be shared, and returns its name in words for the audit log.
  ///
  /// - Throws: `WarehouseError` with code `invalid` if it can't.
  package func checkShareable(_ report: String, query: String, app: App, now: Timestamp) throws -> String {
    let link = SharedLink(
      id: 0, app: app.id, report: report, query: query, sites: [], created: now, expires: nil)
    do {
      let segments = try segments(app: app.id)
      switch try content(of: link, app: app, now: now) {
      case .report(let request): try request.checkShareable(segments)
      case .question(let page, let parameters): try QuestionForm(page, parameters, segments: segments).checkShareable()
      case .dashboard(_, let scope):
        if try scope.filter.filters(segments).contains(where: \.showsPersonalData) { throw ReportRequest.namesPersons }
      case nil: throw WarehouseError(.invalid, "This app has no such dashboard.")
      }
      return name(of: link, app: app, now: now, segments: segments, isForAudit: true)
    } catch let error as ReportError {
      throw WarehouseError(.invalid, error.message)
    } catch let error as QuestionError {
      throw WarehouseError(.invalid, error.message)
    }
  }
}

extension CatalogEditor {
  /// Returns the name of a link in words.
  ///
  /// - Parameters:
  ///   - segments: The segments that the reader may see.
  ///   - isForAudit: True to leave out what may name a person.
  package func name(
    of link: SharedLink, app: App, now: Timestamp, segments: [SavedSegment], isForAudit: Bool = false
  ) -> String {
    // A link that a later version made, or to a view that is gone, shows nothing either.
    guard let content = try? content(of: link, app: app, now: now) else { return shown(link.report) }
    return SharedName(today: ReportZone(app.zone).day(of: now), segments: segments, isForAudit: isForAudit).name(
      of: content)
  }
}

extension ReportRequest {
  fileprivate func checkShareable(_ segments: [SavedSegment]) throws {
    if report.showsPersonalData { throw Self.showsPersons }
    if segments.namePersons(in: comparison) { throw Self.namesPersons }
    guard !filter.isEmpty else { return }
    guard isFilterable else { throw WarehouseError(.invalid, "This page is about all rows. Remove the filters first.") }
    if try filter.filters(segments).contains(where: \.showsPersonalData) { throw Self.namesPersons }
  }

  fileprivate static let showsPersons = WarehouseError(.invalid, "This page shows personal data and can't be shared.")

  fileprivate static let namesPersons = WarehouseError(
    .invalid, "The filters name installs or users, so the page shows personal data and can't be shared.")
}

extension QuestionForm {
  /// Checks that neither the question nor what the page asks beside it tells single persons apart.
  fileprivate func checkShareable() throws {
    guard page != .people else { throw ReportRequest.showsPersons }
    guard let question = try question() else { throw WarehouseError(.invalid, "Fill in the form first.") }
    if try namesPersons(question) { throw ReportRequest.namesPersons }
  }

  /// True if the question of this form, or what the page asks beside it, tells single persons apart.
  func namesPersons(_ question: Question) throws(QuestionError) -> Bool {
    if segments.namePersons(in: self["compare"].flatMap({ ReportComparison($0) })) { return true }
    return try breakdownDimension()?.isPersonal ?? false || question.showsPersonalData
  }
}

extension [SavedSegment] {
  /// True if a page compares with a segment that names persons or is not among these.
  fileprivate func namePersons(in comparison: ReportComparison?) -> Bool {
    guard case .segment(let number) = comparison else { return false }
    return first { $0.id == number }?.showsPersonalData != false
  }
}
