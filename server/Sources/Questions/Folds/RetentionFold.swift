/// The cohorts of one person, and the intervals after each in which they came back.
package struct RetentionFold: Sendable {
  private let question: RetentionQuestion
  private let count: Int
  private var starts: [Bool]
  private var returns: [Bool]
  /// Kept so that a person costs no allocation.
  private var back: [Bool] = []

  /// Creates a fold for a range with so many intervals.
  package init(_ question: RetentionQuestion, intervals count: Int) {
    self.question = question
    self.count = count
    starts = Array(repeating: false, count: count)
    returns = starts
  }

  /// Adds a row of the range, by the index of its interval.
  package mutating func add(interval: Int, isStart: Bool, isReturn: Bool) {
    if isStart { starts[interval] = true }
    if isReturn { returns[interval] = true }
  }

  /// Calls `body` with each cohort of the person and, for each interval from it on, true if the person counts there;
  /// then forgets the person.
  ///
  /// - Parameter first: The interval of the first matching start row of all that is stored, if it lies in the range.
  package mutating func finish(first: Int?, _ body: (_ cohort: Int, _ isBack: [Bool]) -> Void) {
    let last = returns.lastIndex(of: true) ?? -1
    if question.cohort == .firstEver {
      if let first { finish(cohort: first, last: last, body) }
    } else {
      for cohort in starts.indices where starts[cohort] { finish(cohort: cohort, last: last, body) }
    }
    for index in 0..<count {
      starts[index] = false
      returns[index] = false
    }
  }

  private mutating func finish(cohort: Int, last: Int, _ body: (_ cohort: Int, _ isBack: [Bool]) -> Void) {
    back.removeAll(keepingCapacity: true)
    for distance in 0...min(question.intervals, count - 1 - cohort) {
      back.append(
        distance == 0 || (question.mode == .on ? returns[cohort + distance] : cohort + distance <= last))
    }
    body(cohort, back)
  }
}
