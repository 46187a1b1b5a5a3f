/// The way in which filters choose the rows of a report.
package enum ReportFiltering: Sendable {
  /// Questions count the rows that pass.
  case questions
  /// The rows that pass are those among the latest ones.
  case latestRows
  /// Not at all: the report is about all rows, and its page says so.
  case allRows(because: String = "This page shows all rows: filters do not apply to it.")
}

extension ReportDefinition {
  /// True if the report can be filtered; others are about all rows.
  package var isFilterable: Bool { if case .allRows = filtering { false } else { true } }
}

extension ReportRequest {
  /// True if the report can be filtered; others are about all rows.
  package var isFilterable: Bool { report.isFilterable }

  /// True if questions count the report's rows, because it has a filter.
  package var asksQuestions: Bool { if case .questions = report.filtering { !filter.isEmpty } else { false } }
}
