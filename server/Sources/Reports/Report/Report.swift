public import Warehouse

/// The answer to a ``ReportRequest``: the same values for the command line, the REST API and the pages.
public struct Report: Sendable, Hashable {
  /// What was asked.
  public var request: ReportRequest
  /// The figures.
  public var content: Content

  /// The figures, by report.
  public enum Content: Sendable, Hashable {
    /// Events, sessions and active users per day.
    case overview(OverviewReport)
    /// Every event name with its count.
    case events(EventsReport)
    /// One event.
    case event(EventReport)
    /// Handled errors and crashes.
    case errors(ErrorsReport)
    /// One fault.
    case error(ErrorReport)
    /// Every screen with its views.
    case screens(ScreensReport)
    /// App versions.
    case versions(VersionsReport)
    /// Device models and operating systems.
    case devices(DevicesReport)
    /// Countries.
    case countries(CountriesReport)
    /// The latest rows.
    case live(LiveReport)
    /// What was lost, by reason.
    case losses(LossesReport)
  }

  /// Creates a report.
  public init(request: ReportRequest, content: Content) {
    self.request = request
    self.content = content
  }
}

extension ReportRequest {
  /// Answers the request from the warehouse's figures; throws what the source throws.
  public func report(from source: any FigureSource) async throws -> Report {
    let content: Report.Content =
      switch name {
      case .overview: .overview(try await OverviewReport(self, from: source))
      case .events: .events(try await EventsReport(self, from: source))
      case .event: .event(try await EventReport(self, from: source))
      case .errors: .errors(try await ErrorsReport(self, from: source))
      case .error: .error(try await ErrorReport(self, from: source))
      case .screens: .screens(try await ScreensReport(self, from: source))
      case .versions: .versions(try await VersionsReport(self, from: source))
      case .devices: .devices(try await DevicesReport(self, from: source))
      case .countries: .countries(try await CountriesReport(self, from: source))
      case .live: .live(try await LiveReport(self, from: source))
      case .losses: .losses(try await LossesReport(self, from: source))
      }
    return Report(request: self, content: content)
  }
}
