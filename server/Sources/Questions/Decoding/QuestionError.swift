/// The reason why a question cannot be answered, and the place of the fault.
package struct QuestionError: Error, Equatable, Sendable {
  /// The kinds of reasons.
  package enum Code: String, Sendable {
    /// The question cannot be understood.
    case invalid = "invalid_question"
    /// The answer would take longer than allowed.
    case tooSlow = "question_too_slow"
    /// The answer would take more memory than allowed.
    case tooLarge = "question_too_large"
  }

  package var code: Code
  /// A sentence that names the fault and says what is possible instead.
  package var message: String
  /// The JSON path of the fault, such as `$.steps[1].event`; `$` for the whole question.
  package var path: String

  package init(_ message: String, at path: String, code: Code = .invalid) {
    self.code = code
    self.message = message
    self.path = path
  }
}
