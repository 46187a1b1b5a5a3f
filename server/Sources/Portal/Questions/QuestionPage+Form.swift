package import Questions
import Reports
package import Warehouse

/// The values of the fields of a page's form.
extension QuestionPage {
  /// The short address of the page, from the fields of its form.
  package func address(_ fields: [String: String], app: AppID, segments: [SavedSegment]) -> String {
    PortalLinks(app: app).question(self, QuestionForm(self, fields, segments: segments).query())
  }

  /// The page's main question; `nil` while the form lacks something.
  package func question(
    _ parameters: [String: String], segments: [SavedSegment]
  ) throws(QuestionError) -> Question? {
    try QuestionForm(self, parameters, segments: segments).question()
  }

  /// The days of the page's question; `nil` while the form lacks something.
  package func days(_ parameters: [String: String], segments: [SavedSegment], today: Day) -> ClosedRange<Day>? {
    (try? question(parameters, segments: segments))??.scope.range.resolved(today: today)
  }

  /// The files of the page; none while its form lacks something.
  package func files(
    _ parameters: [String: String], segments: [SavedSegment]
  ) throws(QuestionError) -> [QuestionFile] {
    try QuestionForm(self, parameters, segments: segments).files()
  }
}
