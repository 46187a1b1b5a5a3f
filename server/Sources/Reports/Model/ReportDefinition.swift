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
  let read: Read

  package init(
    _ name: String, title: String, explanation: String, navigation: ReportNavigation? = nil, parent: String? = nil,
    parameters: [ReportParameter] = [], missingParameter: ReportError? = nil, pageLimit: Int = 200,
    showsPersonalData: Bool = false, read: @escaping Read
  ) {
    self.name = name
    self.title = title
    self.explanation = explanation
    self.navigation = navigation
    self.parent = parent
    self.parameters = parameters
    self.missingParameter = missingParameter
    self.pageLimit = pageLimit
    self.showsPersonalData = showsPersonalData
    self.rankings = []
    self.read = read
  }

  /// Creates a report that consists of rankings. Its page adds trends and changes since the previous period.
  package init(
    _ name: String, title: String, explanation: String, navigation: ReportNavigation? = nil, rankings: [Ranking]
  ) {
    self.name = name
    self.title = title
    self.explanation = explanation
    self.navigation = navigation
    self.parent = nil
    self.parameters = []
    self.missingParameter = nil
    self.pageLimit = 200
    self.showsPersonalData = false
    self.rankings = rankings
    self.read = { request, store in
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

/// A report's place in the navigation.
package struct ReportNavigation: Sendable, Hashable {
  /// The entries of the navigation, in order. The reports of one entry are its tabs.
  package enum Entry: String, Sendable, CaseIterable {
    /// The most important figures.
    case overview = "Overview"
    /// Activity in the app.
    case events = "Events"
    /// The versions, devices, countries and languages of its users.
    case audience = "Audience"
    /// Crashes and handled errors.
    case errors = "Errors"
    /// Incoming data. These reports are shown even before the first event.
    case live = "Live"
  }

  package var entry: Entry
  /// The text of the tab.
  package var label: String

  /// Creates a place among the tabs of an entry.
  package init(_ entry: Entry, _ label: String) {
    self.entry = entry
    self.label = label
  }
}

/// A parameter of a report in addition to range and limit.
package struct ReportParameter: Sendable, Hashable {
  /// The kinds of parameters.
  package enum Kind: Sendable, Hashable {
    /// Any text, including an empty one.
    case text
    /// The number of a row.
    case number
    /// One of some words, by default the first.
    case choice([String])
  }

  /// The name in commands and addresses.
  package var name: String
  package var kind: Kind

  /// Creates a parameter.
  package init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
