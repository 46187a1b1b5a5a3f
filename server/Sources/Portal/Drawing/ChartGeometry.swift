import TernBase

/// The ticks of a vertical axis: round numbers, at most five steps, with zero among them unless a format says otherwise.
struct ChartScale {
  let ticks: [Double]

  init(ticks: [Double]) { self.ticks = ticks }

  /// Creates a scale whose ends enclose a range that contains zero.
  ///
  /// - Parameter smallestExponent: The power of ten of the smallest step.
  init(_ range: ClosedRange<Double>, smallestExponent: Int) {
    func ends(_ step: Double) -> (first: Double, last: Double) {
      let first = (range.lowerBound / step).rounded(.down)
      return (first, max((range.upperBound / step).rounded(.up), first + 1))
    }
    guard let step = RoundNumber.smallest(from: smallestExponent, where: { ends($0).last - ends($0).first <= 5 }) else {
      ticks = [range.lowerBound, max(range.upperBound, range.lowerBound + 1)]
      return
    }
    let (first, last) = ends(step)
    ticks = (0...Int(clamping: last - first)).map { (first + Double($0)) * step }
  }

  /// The value at the bottom edge.
  var bottom: Double { ticks.first ?? 0 }
  /// The value at the top edge.
  var top: Double { ticks.last ?? 1 }
  /// The distance between two ticks.
  var step: Double { ticks.count > 1 ? ticks[1] - ticks[0] : 1 }
}

/// 1, 2 and 5 times the powers of ten.
enum RoundNumber {
  /// Returns the smallest round number that passes; `nil` if none does.
  ///
  /// - Parameter exponent: The power of ten of the smallest number that is tried.
  static func smallest(from exponent: Int, where passes: (Double) -> Bool) -> Double? {
    for exponent in exponent...308 {
      let power = (0..<abs(exponent)).reduce(1.0) { power, _ in power * 10 }
      // Dividing by a whole power keeps 0.1 the nearest number to a tenth.
      let unit = exponent < 0 ? 1 / power : power
      for factor in [1.0, 2, 5] where passes(factor * unit) { return factor * unit }
    }
    return nil
  }
}

/// Formats a coordinate with one decimal: finer than a pixel, and short. Values whose distance is infinite have none, and
/// are drawn at zero.
func coordinate(_ value: Double) -> String {
  let tenths = Int(clamping: (value * 10).rounded())
  return tenths.isMultiple(of: 10) ? String(tenths / 10) : String(Double(tenths) / 10)
}
