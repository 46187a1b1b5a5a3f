import TernBase

/// The buckets of a histogram: round bounds, at most sixteen of equal width, and one for the few values far above.
struct HistogramBins: Equatable {
  /// The lower bounds, ascending; the last bucket has no upper bound.
  let bounds: [Double]
  /// True if all values are whole, so that a bucket ends below the next bound.
  let isWhole: Bool
  /// The width of a bucket; `nil` for bounds that someone chose.
  private let step: Double?
  /// True if no number is beyond the last bucket's width.
  private let isClosed: Bool

  /// Buckets with bounds that someone chose; `nil` if they are no ascending numbers, or too many.
  init?(bounds: [Double]) {
    guard (1...100).contains(bounds.count), zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    (self.bounds, isWhole, step, isClosed) = (bounds, false, nil, false)
  }

  private static let most = 16.0

  /// Chooses buckets for numbers between a minimum and a maximum.
  ///
  /// - Parameter nearlyAll: A number that 99 % of the values don't exceed: the last value may be a thousand times as
  ///   large, and would leave all others in one bucket.
  ///
  /// Returns `nil` if all numbers are equal, or if there is no number between them.
  init?(_ minimum: Double, nearlyAll: Double, maximum: Double, isWhole: Bool) {
    guard minimum.isFinite, maximum.isFinite, minimum < maximum else { return nil }
    // Where 99 % of the values are equal, the others decide.
    let end = nearlyAll > minimum ? min(nearlyAll, maximum) : maximum
    guard let step = Self.step(end - minimum, isWhole: isWhole) else { return nil }
    let first = (minimum / step).rounded(.down)
    let last = (end / step).rounded(.down)
    let bounds = (0...Int(clamping: last - first)).map { (first + Double($0)) * step }
    isClosed = maximum < (last + 1) * step
    let all = isClosed ? bounds : bounds + [(last + 1) * step]
    // Beyond 2^53, neighbours are equal.
    guard all.count <= 20, zip(all, all.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    (self.bounds, self.isWhole, self.step) = (all, isWhole, step)
  }

  /// The smallest of 1, 2, 5 times a power of ten that needs few enough buckets.
  private static func step(_ width: Double, isWhole: Bool) -> Double? {
    guard width.isFinite, width > 0 else { return nil }
    for exponent in (isWhole ? 0 : -9)...300 {
      let power = (0..<abs(exponent)).reduce(1.0) { power, _ in power * 10 }
      for factor in [1.0, 2, 5] {
        let step = exponent < 0 ? factor / power : factor * power
        if width / step <= most { return step }
      }
    }
    return nil
  }

  /// The names of the buckets, for example `0 – 9`, `0 – 0.5` or `≥ 100`.
  var names: [String] {
    bounds.indices.map { index in
      let lower = ChartFormat.number.text(bounds[index])
      let next = index + 1 < bounds.count ? bounds[index + 1] : isClosed ? bounds[index] + (step ?? 0) : nil
      guard let next else { return "≥ \(lower)" }
      if isWhole { return step == 1 ? lower : "\(lower) – \(ChartFormat.number.text(next - 1))" }
      return "\(lower) – \(ChartFormat.number.text(next))"
    }
  }

  /// The lower bounds as labels of an axis.
  var axis: [String] { bounds.map { ChartFormat.number.text($0) } }
}
