public import Warehouse

/// A report: the one place that says what it is called, where it stands, and how its rows are read.
///
/// JSON, CSV, terminal text, a page and the entry in the navigation follow from it. To add a report, write a definition
/// and add it to a ``ReportRegistry``; docs/reports.md shows how.
public struct ReportDefinition: Sendable {
  /// Reads the rows of a report.
  public typealias Read = @Sendable (ReportRequest, any MetricsStore) async throws -> ReportContent

  /// The name in commands and addresses.
  public let name: String
  /// The title on pages.
  public let title: String
  /// One sentence about what the report shows.
  public let explanation: String
  /// The place in the navigation; `nil` for reports that are reached from another one, and for those of views.
  public let navigation: ReportNavigation?
  /// The report from which this one is reached; its entry stays marked in the navigation.
  public let parent: String?
  /// The parameters beside days and limit.
  public let parameters: [ReportParameter]
  /// The error for a request that gives none of the parameters; `nil` if none is needed.
  public let missingParameter: ReportError?
  /// The rows of each list that a page shows unless the reader asks for more.
  public let pageLimit: Int
  /// The rankings that the report consists of; empty for other reports.
  public let rankings: [Ranking]
  let read: Read

  /// Creates a definition.
  public init(
    _ name: String, title: String, explanation: String, navigation: ReportNavigation? = nil, parent: String? = nil,
    parameters: [ReportParameter] = [], missingParameter: ReportError? = nil, pageLimit: Int = 200, read: @escaping Read
  ) {
    self.name = name
    self.title = title
    self.explanation = explanation
    self.navigation = navigation
    self.parent = parent
    self.parameters = parameters
    self.missingParameter = missingParameter
    self.pageLimit = pageLimit
    self.rankings = []
    self.read = read
  }

  /// Creates a report that consists of rankings; its page adds trends and the change since the period before.
  public init(
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
    self.rankings = rankings
    self.read = { request, store in
      var lists: [ReportList] = []
      for ranking in rankings { lists.append(ranking.list(try await request.ranking(ranking, from: store))) }
      return ReportContent(lists)
    }
  }
}

extension ReportDefinition: Hashable {
  /// Compares names: within a registry they are unique.
  public static func == (left: ReportDefinition, right: ReportDefinition) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A report's entry in the navigation.
public struct ReportNavigation: Sendable, Hashable {
  /// The groups of the navigation, in order.
  public enum Section: String, Sendable, CaseIterable {
    /// Activity in the app.
    case usage = "Usage"
    /// The versions, devices and places they use it on.
    case audience = "Audience"
    /// Incoming data. These reports are shown before the first event, too.
    case monitoring = "Monitoring"
  }

  /// The group.
  public var section: Section
  /// The text of the link.
  public var label: String
  /// The icon: an SVG path on a grid of 20 by 20.
  public var icon: String

  /// Creates an entry.
  public init(_ section: Section, _ label: String, icon: String) {
    self.section = section
    self.label = label
    self.icon = icon
  }
}

/// A parameter of a report beside its days and limit.
public struct ReportParameter: Sendable, Hashable {
  /// The kinds of parameters.
  public enum Kind: Sendable, Hashable {
    /// Any text, the empty one included.
    case text
    /// The number of a row.
    case number
  }

  /// The name in commands and addresses.
  public var name: String
  /// The kind.
  public var kind: Kind

  /// Creates a parameter.
  public init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
