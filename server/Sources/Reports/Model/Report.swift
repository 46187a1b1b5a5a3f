public import Warehouse

/// The result of a ``ReportRequest``.
public struct Report: Sendable, Hashable {
  /// The request.
  public var request: ReportRequest
  /// The rows.
  public var content: ReportContent
}

extension ReportRequest {
  /// Reads the report; rethrows the store's errors, and throws ``ReportError`` if its subject does not exist.
  public func report(from store: any MetricsStore) async throws -> Report {
    Report(request: self, content: try await report.read(self, store))
  }
}
