package import JSON

/// The reason why a question cannot be answered, and the place of the fault.
package struct QuestionError: Error, Equatable, Sendable {
  /// The kinds of reasons.
  package enum Code: String, Sendable {
    /// The question cannot be understood.
    case invalid = "invalid_question"
    /// The question names a value that no row has ever had.
    case unknownValue = "unknown_value"
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

extension QuestionError {
  package init(_ fault: JSONFault) { self.init(fault.message, at: fault.path) }

  /// Reads a question's JSON; a fault of it is one of the question.
  static func reading<Value>(_ body: () throws(JSONFault) -> Value) throws(QuestionError) -> Value {
    do throws(JSONFault) { return try body() } catch { throw QuestionError(error) }
  }
}

extension JSONDescribed {
  /// Sets a member to a value as in JSON; throws an error that names the member if the value isn't allowed.
  package mutating func set(
    _ name: String, to value: JSONTree, segments: SegmentFilters = SegmentFilters()
  ) throws(QuestionError) {
    do throws(JSONFault) { try set(name, to: value, context: segments) } catch { throw QuestionError(error) }
  }
}
