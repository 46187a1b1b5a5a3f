package import Reports
import ServerBase
package import Warehouse

/// The filter of a page in its address and its form.
extension ReportFilter {
  /// The parameters of a report's address in which its filters are JSON, as the report takes them.
  package static func merged(_ parameters: [String: String]) -> [String: String] { FilterRows.merged(parameters) }

  /// Creates the filter of a page from the parameters of its address or the fields of its form.
  package init(in parameters: [String: String]) {
    let merged = Self.merged(parameters)
    self.init(json: merged["filters"] ?? "", segment: merged["segment"].map { Int64($0) ?? Self.noSegment })
  }

  /// A number that no segment has, for text that isn't one: it must not mean everyone.
  private static let noSegment: Int64 = -1

  /// The mistakes in the filter, by the name of their field.
  func faults(_ segments: [SavedSegment]) -> [String: String] {
    var faults: [String: String] = [:]
    for (index, row) in FilterRows(json: json).rows.enumerated() { faults["f\(index + 1)"] = row.fault }
    if let segment, !segments.contains(where: { $0.id == segment }) { faults["segment"] = QuestionForm.missingSegment }
    return faults
  }
}

extension ReportRequest {
  /// The short address of the report's page.
  package var address: String { PortalLinks(self).page(self) }

  /// A mistake in the filter of the report that its form can show; `nil` if there is none.
  package func fault(_ segments: [SavedSegment]) -> String? { isFilterable ? faults(segments).values.min() : nil }

  func faults(_ segments: [SavedSegment]) -> [String: String] {
    var faults = filter.faults(segments)
    if report.showsChanges, case .segment(let segment) = comparison, !segments.contains(where: { $0.id == segment }) {
      faults["compare"] = QuestionForm.missingSegment
    }
    return faults
  }
}

extension [SavedSegment] {
  /// The name of a segment; its number if it isn't among these.
  func name(of number: Int64) -> String {
    first { $0.id == number }.map { shown($0.name) } ?? "segment \(number)"
  }
}
