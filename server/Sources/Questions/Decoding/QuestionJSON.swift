/// The forms of values in questions and answers.
package enum QuestionJSON {
  /// A number without a needless fraction: `10`, `2.5`.
  package static func plain(_ number: Double) -> String {
    if let integer = Int64(exactly: number) { return String(integer) }
    return number.description
  }
}
