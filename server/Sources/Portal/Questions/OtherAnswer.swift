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
  var answer: Answer
}

extension QuestionForm {
  /// True if the page compares with the period before.
  var comparesPeriods: Bool { self["compare"] == "previous" }

  /// The segment with which the page compares.
  var comparedSegment: SavedSegment? {
    guard let value = self["compare"], value.hasPrefix(Self.comparedPrefix) else { return nil }
    return segments.first { $0.id == Int64(value.dropFirst(Self.comparedPrefix.count)) }
  }

  /// The segments in the choice of comparisons.
  var comparableSegments: [(String, String)] {
    segments.map { ("\(Self.comparedPrefix)\($0.id)", "Segment \(shown($0.name))") }
  }

  private static let comparedPrefix = "segment-"
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
  func other(_ form: QuestionForm, _ question: Question, today: Day, _ ask: Ask) async throws -> OtherAnswer? {
    if let segment = form.comparedSegment {
      var other = form
      other.choose(segment)
      let question =
        form.page == .explore
        ? try other.timeline() : try other.json(form.page.kind).map { try other.question(form.page.kind, $0) }
      guard let question else { return nil }
      let name = shown(segment.name)
      return OtherAnswer(
        name: name, heading: name, about: "\(name) is a segment.", answer: try await ask(question).answer)
    }
    guard form.comparesPeriods else { return nil }
    let days = question.scope.range.resolved(today: today).before
    return OtherAnswer(
      name: days.text, heading: "Period before", about: "The period before is \(days.text).",
      answer: try await ask(question.over(days)).answer)
  }
}
