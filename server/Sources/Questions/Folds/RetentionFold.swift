/// The cohorts of one person, and the intervals after each in which they came back.
package struct RetentionFold: Sendable {
  private let question: RetentionQuestion
  private let count: Int
  private var starts: [Bool]
  private var returns: [Bool]

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
    let cohorts = question.cohort == .firstEver ? first.map { [$0] } ?? [] : starts.indices.filter { starts[$0] }
    let last = returns.lastIndex(of: true) ?? -1
    for cohort in cohorts {
      let after = min(question.intervals, count - 1 - cohort)
      let back = (0...after).map { distance in
        distance == 0 || (question.mode == .on ? returns[cohort + distance] : cohort + distance <= last)
      }
      body(cohort, back)
    }
    for index in 0..<count {
      starts[index] = false
      returns[index] = false
    }
  }
}
