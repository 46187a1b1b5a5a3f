package import Warehouse

/// The definition of a report: its name, its place in the navigation, and how its rows are read.
///
/// JSON, CSV, terminal text, a page and the navigation entry follow from it. To add a report, write a definition and
/// add it to a ``ReportRegistry``; docs/reports.md shows how.
package struct ReportDefinition: Sendable {
  /// Reads the rows of a report.
  package typealias Read = @Sendable (ReportRequest, any MetricsStore) async throws -> ReportContent

  /// The name in commands and addresses.
  package let name: String
  /// The title on pages.
  package let title: String
  /// A one-sentence description of the report.
  package let explanation: String
  /// The place in the navigation; `nil` for reports linked from another one, and for those of views.
  package let navigation: ReportNavigation?
  /// The report that links to this one; its entry is highlighted in the navigation.
  package let parent: String?
  /// The parameters in addition to range and limit.
  package let parameters: [ReportParameter]
  /// The error for a request without any of the parameters; `nil` if they are optional.
  package let missingParameter: ReportError?
  /// The number of rows per list on a page, unless the reader asks for more.
  package let pageLimit: Int
  /// True if the rows are about single installs, which some readers may not see.
  package let showsPersonalData: Bool
  /// The rankings of the report; empty for other reports.
  package let rankings: [Ranking]
  /// The way in which filters choose the rows.
  package let filtering: ReportFiltering
  /// The stored facts that a request needs beside the metrics.
  package let storedFacts: StoredFacts?
  /// True if the page shows changes of its figures.
  package let showsChanges: Bool
  /// True if the page draws charts over days, which show notes.
  package let drawsDays: Bool
  /// True if the rows are about right now, whatever the range is.
  package let isLive: Bool
  /// The number of rows per list in a file that a page links to; `nil` for the report's own.
  package let fileLimit: Int?
  /// The group of a view's report.
  package let viewGroup: ViewReportGroup
  let read: Read

  /// The facts that a catalog stores for reports.
  package enum StoredFacts: Sendable {
    /// The states of groups of errors.
    case errorStates
    /// The figures of a view that another service counted.
    case importedFigures
  }

  package init(
    _ name: String, title: String, explanation: String, navigation: ReportNavigation? = nil, parent: String? = nil,
    parameters: [ReportParameter] = [], missingParameter: ReportError? = nil, pageLimit: Int = 200,
    fileLimit: Int? = ReportRequest.maximumLimit, showsPersonalData: Bool = false, rankings: [Ranking] = [],
    filtering: ReportFiltering = .allRows(), storedFacts: StoredFacts? = nil, showsChanges: Bool = false,
    drawsDays: Bool = true, isLive: Bool = false, viewGroup: ViewReportGroup = .audience, read: @escaping Read
  ) {
    self.name = name
    self.title = title
    self.explanation = explanation
    self.navigation = navigation
    self.parent = parent
    self.parameters = parameters
    self.missingParameter = missingParameter
    self.pageLimit = pageLimit
    self.fileLimit = fileLimit
    self.showsPersonalData = showsPersonalData
    self.rankings = rankings
    self.filtering = filtering
    self.storedFacts = storedFacts
    self.showsChanges = showsChanges
    self.drawsDays = drawsDays
    self.isLive = isLive
    self.viewGroup = viewGroup
    self.read = read
  }

  /// Returns how the lists of some metrics are read.
  static func read<Metrics: ReportMetrics>(_ metrics: Metrics.Type) -> Read {
    { request, store in try await Metrics(request, from: store).content(request) }
  }

  /// Creates a report that consists of rankings. Its page adds trends and changes since the previous period.
  package init(
    _ name: String, title: String, explanation: String, navigation: ReportNavigation? = nil, rankings: [Ranking]
  ) {
    self.init(
      name, title: title, explanation: explanation, navigation: navigation, rankings: rankings, filtering: .questions,
      showsChanges: true, drawsDays: false
    ) { request, store in
      var lists: [ReportList] = []
      for ranking in rankings {
        lists.append(
          ranking.list(try await request.ranking(ranking, from: store), limit: request.limit ?? ranking.limit))
      }
      return ReportContent(lists)
    }
  }
}

extension ReportDefinition: Hashable {
  /// Compares names, which are unique within a registry.
  package static func == (left: ReportDefinition, right: ReportDefinition) -> Bool { left.name == right.name }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
