import Questions
import Reports
import Warehouse

/// The answer on the other side of a comparison.
struct OtherAnswer {
  let comparison: Comparison
  /// The form that shows the answer as a page of its own.
  var form: QuestionForm
  var answer: Answer

  /// The headings of the columns with the other side's shares and the changes since.
  var columns: [String] { [comparison.heading, "Change"] }

  /// One sentence about these columns.
  var note: String { "\(comparison.about) Changes are in percentage points." }

  /// The cells of these columns.
  static func cells(_ share: Double?, other: Double?) -> [TemplateValues] {
    [.cell(other.map { percentage($0) } ?? "–"), .cell(Change.text(share, before: other))]
  }
}

extension QuestionForm {
  /// The other side of the answer; `nil` if the page compares with nothing.
  ///
  /// - Throws: `QuestionError` if the other side is a segment that no longer exists or that the reader may not see.
  func comparison(of scope: QuestionScope, today: Day) throws(QuestionError) -> Comparison? {
    guard page != .people, page != .releases else { return nil }
    let days = scope.range.resolved(today: today)
    switch self["compare"].flatMap({ ReportComparison($0) }) {
    case .periodBefore: return Comparison(days, today: today)
    case .segment(let number):
      guard let segment = segments.first(where: { $0.id == number }) else {
        throw QuestionError(Self.missingSegment, at: "$.compare")
      }
      return Comparison(days, today: today, with: segment)
    case nil: return nil
    }
  }
}

extension QuestionForm {
  /// The question for the other side of a comparison; `nil` if the page compares with nothing.
  ///
  /// - Parameter make: Makes the question of a form with the other segment; by default the page's main question.
  func otherQuestion(
    _ question: Question, today: Day,
    make: (QuestionForm) throws(QuestionError) -> Question? = { form throws(QuestionError) in try form.question() }
  ) throws(QuestionError) -> (comparison: Comparison, form: QuestionForm, question: Question)? {
    guard let comparison = try comparison(of: question.scope, today: today) else { return nil }
    let other = otherSide(of: comparison)
    let asked = try comparison.segment == nil ? question.over(comparison.otherDays) : make(other)
    return asked.map { (comparison, other, $0) }
  }
}

extension PageVisit {
  /// Asks the question of a page for the previous period or for another segment, if the page compares.
  ///
  /// - Parameter make: Makes the question of a form with the other segment; by default the page's main question.
  func other(
    _ form: QuestionForm, _ question: Question, today: Day, _ ask: PageVisit.Ask,
    make: (QuestionForm) throws(QuestionError) -> Question? = { form throws(QuestionError) in try form.question() }
  ) async throws -> OtherAnswer? {
    guard let other = try form.otherQuestion(question, today: today, make: make) else { return nil }
    return OtherAnswer(comparison: other.comparison, form: other.form, answer: try await ask(other.question).answer)
  }
}
