extension Duration {
  private static let longestMilliseconds = Duration.milliseconds(Int64.max)
  private static let shortestMilliseconds = Duration.milliseconds(Int64.min)

  /// The duration in whole milliseconds, rounded toward zero and clamped to the range of `Int64`.
  public var wholeMilliseconds: Int64 {
    // Beyond this, the components do not fit either.
    if self >= .longestMilliseconds { return .max }
    if self <= .shortestMilliseconds { return .min }
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
