package import Questions
import ServerBase
package import Warehouse

extension QuestionPage {
  /// The question of the page with an address, as a card of a dashboard asks it. All readers of the app may see it.
  ///
  /// Throws `QuestionError` if the page's form is not complete or has a fault, or if the question names persons.
  package func sharedQuestion(query: String, segments: [SavedSegment]) throws(QuestionError) -> Question {
    let form = QuestionForm(self, URLEncodedForm(query).values, segments: segments)
    guard let question = try form.question() else {
      throw QuestionError("The form of this page is not complete.", at: "$.query")
    }
    guard try !form.namesPersons(question) else {
      throw QuestionError(
        "All readers of the app see this question, so it cannot name installs or users.", at: "$.query")
    }
    return question
  }
}
