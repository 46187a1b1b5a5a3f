package import Warehouse

/// The result of a ``ReportRequest``.
package struct Report: Sendable, Hashable {
  package var request: ReportRequest
  /// The rows.
  package var content: ReportContent

  /// The names of the lists that have as many rows as the request allows, and so may lack others.
  package var fullLists: [String] { content.lists.reduce(into: Set<String>()) { $0.formUnion($1.fullLists) }.sorted() }

  /// The lists that may lack rows, in words; `nil` for none.
  package var remark: String? {
    guard !fullLists.isEmpty else { return nil }
    return
      "These lists end at their limit and may lack rows: \(fullLists.joined(separator: ", ")). The parameter limit "
      + "allows up to \(grouped(ReportRequest.maximumLimit))."
  }
}

extension ReportRequest {
  /// Reads the report; rethrows the store's errors, and throws ``ReportError`` if its subject does not exist.
  package func report(from store: any MetricsStore) async throws -> Report {
    Report(request: self, content: try await report.read(self, store))
  }
}
