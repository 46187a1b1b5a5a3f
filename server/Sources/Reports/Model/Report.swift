public import Warehouse

/// The answer to a ``ReportRequest``.
public struct Report: Sendable, Hashable {
  /// The request.
  public var request: ReportRequest
  /// The rows.
  public var content: ReportContent
}

extension ReportRequest {
  /// Reads the report; throws what the store throws, and ``ReportError`` if its subject does not exist.
  public func report(from store: any MetricsStore) async throws -> Report {
    Report(request: self, content: try await report.read(self, store))
  }
}
