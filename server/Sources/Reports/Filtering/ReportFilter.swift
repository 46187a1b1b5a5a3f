import Ingest
import JSON
package import Questions
package import Warehouse

/// The rows that a report is about, as in its address.
package struct ReportFilter: Sendable, Hashable {
  /// Filters as a JSON array, as in questions; empty for none.
  package var json: String
  /// The number of a saved segment, if one was chosen.
  package var segment: Int64?

  /// Creates a filter; by default all rows pass.
  package init(json: String = "", segment: Int64? = nil) {
    self.json = json
    self.segment = segment
  }

  /// True if all rows pass.
  package var isEmpty: Bool { json.isEmpty && segment == nil }

  /// Decodes the filters; throws a fault that names the JSON path.
  ///
  /// - Parameter segments: The app's saved segments.
  package func filters(_ segments: [SavedSegment]) throws(QuestionError) -> [QuestionFilter] {
    var filters: [JSONTree] = []
    if !json.isEmpty {
      guard case .array(let given)? = try? JSONTree(parsing: Array(json.utf8)) else {
        throw QuestionError("Expected a JSON array of filters.", at: "$.filters")
      }
      filters = given
    }
    if let segment { filters.append(.array([.text("segment"), .number(Double(segment))])) }
    var scope = QuestionScope()
    try scope.set("filters", to: .array(filters), segments: segments.filters)
    return scope.filters
  }
}
