/// The bounds within which a figure of all users lies with 95 % confidence.
package struct Interval: Equatable, Sendable {
  package var low: Double
  package var high: Double

  package init(low: Double, high: Double) { (self.low, self.high) = (low, high) }

  /// The quantile of the normal distribution for 95 %.
  static let quantile = 1.959963984540054
}

/// A difference of two figures, and its bounds.
package struct Difference: Equatable, Sendable {
  package var value: Double
  package var interval: Interval

  package init(value: Double, interval: Interval) { (self.value, self.interval) = (value, interval) }

  /// True if chance alone seldom makes such a difference: its bounds don't include 0.
  package var isClear: Bool { interval.low > 0 || interval.high < 0 }
}

/// The part of a number of users or sessions.
package struct Share: Equatable, Sendable {
  package var part: Int
  package var whole: Int

  package init(_ part: Int, of whole: Int) { (self.part, self.whole) = (part, whole) }

  /// The number below which a figure is marked as that of few users or sessions.
  package static let few = 100

  package var isFew: Bool { whole < Self.few }

  package var value: Double? { whole == 0 ? nil : Double(part) / Double(whole) }

  /// Wilson's score interval; `nil` without users.
  package var interval: Interval? {
    guard let share = value else { return nil }
    let (count, quantile) = (Double(whole), Interval.quantile)
    let square = quantile * quantile / count
    let center = (share + square / 2) / (1 + square)
    let distance = quantile / (1 + square) * (share * (1 - share) / count + square / (4 * count)).squareRoot()
    return Interval(
      low: part == 0 ? 0 : max(0, center - distance), high: part == whole ? 1 : min(1, center + distance))
  }

  /// The difference to an earlier share, with Newcombe's interval from both Wilson intervals; `nil` if either has no users.
  package func difference(from before: Share) -> Difference? {
    guard let value, let interval, let other = before.value, let bounds = before.interval else { return nil }
    func length(_ first: Double, _ second: Double) -> Double { (first * first + second * second).squareRoot() }
    let difference = value - other
    return Difference(
      value: difference,
      interval: Interval(
        low: difference - length(value - interval.low, bounds.high - other),
        high: difference + length(interval.high - value, other - bounds.low)))
  }
}

/// The mean number of rows of some users.
package struct Mean: Equatable, Sendable {
  package var users: Int
  package var sum: Int
  /// The sum of the squares of the users' numbers.
  package var squares: Double

  package init(users: Int, sum: Int, squares: Double) { (self.users, self.sum, self.squares) = (users, sum, squares) }

  package var isFew: Bool { users < Share.few }

  package var value: Double? { users == 0 ? nil : Double(sum) / Double(users) }

  /// The square of the standard error; `nil` for fewer than two users.
  private var errorSquare: Double? {
    guard users > 1 else { return nil }
    let (count, sum) = (Double(users), Double(sum))
    return max(0, (squares - sum * sum / count) / (count - 1)) / count
  }

  /// The normal interval from mean and variance; `nil` for fewer than two users.
  package var interval: Interval? {
    guard let value, let errorSquare else { return nil }
    let distance = Interval.quantile * errorSquare.squareRoot()
    return Interval(low: max(0, value - distance), high: value + distance)
  }

  /// The difference to an earlier mean, with its normal interval; `nil` if either has fewer than two users.
  package func difference(from before: Mean) -> Difference? {
    guard let value, let errorSquare, let other = before.value, let otherSquare = before.errorSquare else { return nil }
    let distance = Interval.quantile * (errorSquare + otherSquare).squareRoot()
    let difference = value - other
    return Difference(value: difference, interval: Interval(low: difference - distance, high: difference + distance))
  }
}
