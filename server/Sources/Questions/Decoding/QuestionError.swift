/// The reason why a question cannot be understood, and the place of the fault.
package struct QuestionError: Error, Equatable, Sendable {
  /// A sentence that names the fault and says what is possible instead.
  package var message: String
  /// The JSON path of the fault, such as `$.steps[1].event`.
  package var path: String

  package init(_ message: String, at path: String) {
    self.message = message
    self.path = path
  }
}
