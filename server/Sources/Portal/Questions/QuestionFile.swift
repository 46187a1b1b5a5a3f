import JSON
package import Questions
import Reports
import Warehouse

/// A question that a page shows the answer of, for a file with the whole answer and for the command that asks it.
package struct QuestionFile: Sendable {
  /// The value of the parameter `file` in the file's address; empty for the page's first file.
  package let name: String
  /// The content of the file, for example `Users by country`.
  package let title: String
  package let question: Question

  init(_ name: String = "", title: String, _ question: Question) {
    (self.name, self.title, self.question) = (name, title, question)
  }
}

extension QuestionForm {
  /// The questions whose answers the page shows, each with all its rows; none while the form lacks something.
  func files() throws(QuestionError) -> [QuestionFile] {
    if let files = page.definition.files { return try files(self) }
    return try question().map { [QuestionFile(title: page.title, $0)] } ?? []
  }

  /// The form of the other side of a comparison.
  func otherSide(of comparison: Comparison) -> QuestionForm {
    var other = self
    if let segment = comparison.segment { other.choose(segment) } else { other.choose(comparison.otherDays) }
    return other
  }

  /// The query of the address of a file, with the parameters of its format.
  func query(_ file: QuestionFile, _ format: String) -> String {
    AddressText.joined([query(), file.name.isEmpty ? nil : "file=\(file.name)", format])
  }
}
