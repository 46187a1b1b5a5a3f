package import Warehouse

/// The metrics of a report, as values: its page draws them, and its lists are made of them. So both are read in one way.
package protocol ReportMetrics: Sendable {
  /// Reads the metrics of a request's subject and range; rethrows the store's errors, and throws ``ReportError`` if the
  /// subject does not exist.
  init(_ request: ReportRequest, from store: any MetricsStore) async throws

  /// Returns the lists of the report.
  func content(_ request: ReportRequest) -> ReportContent
}
