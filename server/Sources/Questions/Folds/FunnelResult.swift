/// A person's part in a funnel: their best attempts.
package struct FunnelResult: Equatable, Sendable {
  /// The attempt that counts under every value of the breakdown without one of its own; `nil` for none. A funnel without
  /// a breakdown has no other.
  package var common: FunnelAttempt?
  /// The attempts that count under one value alone, by the number of the value.
  package var byValue: [Int32: FunnelAttempt] = [:]

  package init(common: FunnelAttempt? = nil) { self.common = common }

  package var isEmpty: Bool { common == nil && byValue.isEmpty }
}

/// A fold over the rows of one person after another, which finds the attempts that get furthest.
package protocol FunnelFolding: Sendable {
  /// Adds the person's next row.
  mutating func add(_ row: FunnelRow)
  /// Returns the result of the person and forgets their rows.
  mutating func finish() -> FunnelResult
}

extension FunnelQuestion {
  /// The steps that decide on the breakdown's values; `nil` if a fold over rows of all values finds one attempt only.
  var foldedStep: FunnelBreakdownStep? { breakdown == nil || breakdownStep == .every ? nil : breakdownStep }
}
