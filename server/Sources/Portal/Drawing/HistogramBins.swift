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

  /// Buckets with bounds that someone chose; `nil` unless they are at most 100 ascending numbers.
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
    let width = end - minimum
    guard width.isFinite, let step = RoundNumber.smallest(from: isWhole ? 0 : -6, where: { width / $0 <= Self.most })
    else { return nil }
    let first = (minimum / step).rounded(.down)
    let last = (end / step).rounded(.down)
    let bounds = (0...Int(clamping: last - first)).map { (first + Double($0)) * step }
    isClosed = maximum < (last + 1) * step
    let all = isClosed ? bounds : bounds + [(last + 1) * step]
    // Beyond 2^53, neighbours are equal.
    guard all.count <= 20, zip(all, all.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    (self.bounds, self.isWhole, self.step) = (all, isWhole, step)
  }

  /// The names of the buckets, for example `0 – 9`, `0 – 0.5` or `≥ 100`.
  var names: [String] {
    bounds.indices.map { index in
      let lower = text(bounds[index])
      let next = index + 1 < bounds.count ? bounds[index + 1] : isClosed ? bounds[index] + (step ?? 0) : nil
      guard let next else { return "≥ \(lower)" }
      if isWhole { return step == 1 ? lower : "\(lower) – \(text(next - 1))" }
      return "\(lower) – \(text(next))"
    }
  }

  /// The bounds of each bucket as labels of an axis: a lower bound alone would stand for values above it.
  var axis: [String] { names.map { $0.replacing(" – ", with: "–") } }

  /// A bound with as many decimals as tell it from its neighbours.
  private func text(_ bound: Double) -> String {
    guard let step, step < 0.01 else { return ChartFormat.number.text(bound) }
    return ChartFormat.number.text(tick: bound, step: step)
  }
}
