extension Int {
  /// The sum, which stops at the largest integer: counts are read from files, and may be anything.
  ///
  /// For numbers that are not negative.
  package func addingSaturated(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension Sequence<Int> {
  /// The sum, which stops at the largest integer; see ``Swift/Int/addingSaturated(_:)``.
  package var saturatingSum: Int { reduce(0) { $0.addingSaturated($1) } }
}
