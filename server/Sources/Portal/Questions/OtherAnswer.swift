import Questions
import Reports
import Warehouse

/// The answer with which a page compares its own: of the period before, or of another segment.
struct OtherAnswer {
  /// For example `28 Apr – 3 May 2026`, or the name of a segment.
  var name: String
  /// The heading of a column with its figures.
  var heading: String
  /// One sentence that says what it is.
  var about: String
  /// The form that shows the answer as a page of its own.
  var form: QuestionForm
  var answer: Answer
  /// True if its range ends today.
  var isOpen: Bool
}

extension QuestionForm {
  /// True if the page compares with the period before.
  var comparesPeriods: Bool { self["compare"] == ReportComparison.periodBefore.text }

  /// The segment with which the page compares.
  var comparedSegment: SavedSegment? {
    guard case .segment(let number) = self["compare"].flatMap({ ReportComparison($0) }) else { return nil }
    return segments.first { $0.id == number }
  }
}

extension ClosedRange<Day> {
  /// As many days, directly before.
  var before: ClosedRange<Day> {
    let length = lowerBound.distance(to: upperBound) + 1
    return lowerBound.advanced(by: -length)...lowerBound.advanced(by: -1)
  }
}

extension PortalPages {
  /// Asks the question of a page for the period before or for another segment, if the page compares.
  ///
  /// - Parameter make: Makes the question of a form with the other segment; by default the page's main question.
  func other(
    _ form: QuestionForm, _ question: Question, today: Day, _ ask: Ask,
    make: (QuestionForm) throws(QuestionError) -> Question? = { form throws(QuestionError) in try form.question() }
  ) async throws -> OtherAnswer? {
    var other = form
    if let segment = form.comparedSegment {
      other.choose(segment)
      guard let question = try make(other) else { return nil }
      let name = shown(segment.name)
      return OtherAnswer(
        name: name, heading: name, about: "\(name) is a segment.", form: other, answer: try await ask(question).answer,
        isOpen: question.resolved(today: today).scope.endsOn(today))
    }
    guard form.comparesPeriods, form.page != .people else { return nil }
    let days = question.scope.range.resolved(today: today).before
    other.choose(days)
    return OtherAnswer(
      name: days.text, heading: "Period before", about: "The period before is \(days.text).", form: other,
      answer: try await ask(question.over(days)).answer, isOpen: false)
  }
}
