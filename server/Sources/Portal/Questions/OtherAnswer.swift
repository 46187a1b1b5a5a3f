import Questions
import Reports
import Warehouse

/// The answer with which a page compares its own.
struct OtherAnswer {
  /// For example `28 Apr – 3 May 2026`.
  var name: String
  var answer: Answer
}

extension QuestionForm {
  /// True if the page compares with the period before.
  var comparesPeriods: Bool { self["compare"] == "previous" }
}

extension ClosedRange<Day> {
  /// As many days, directly before.
  var before: ClosedRange<Day> {
    let length = lowerBound.distance(to: upperBound) + 1
    return lowerBound.advanced(by: -length)...lowerBound.advanced(by: -1)
  }
}

extension PortalPages {
  /// Asks the question of a page for the period before, if the page compares.
  func other(_ form: QuestionForm, _ question: Question, today: Day, _ ask: Ask) async throws -> OtherAnswer? {
    guard form.comparesPeriods else { return nil }
    let days = question.scope.range.resolved(today: today).before
    return OtherAnswer(name: days.text, answer: try await ask(question.over(days)).answer)
  }
}
