import TernBase

/// The ticks of a vertical axis: round numbers, at most five steps, with zero among them unless a format says otherwise.
struct ChartScale {
  let ticks: [Double]

  init(ticks: [Double]) { self.ticks = ticks }

  /// Creates the scale of counts up to a maximum.
  init(maximum: Int) { self.init(0...Double(maximum), smallestExponent: 0) }

  /// Creates a scale whose ends enclose a range that contains zero.
  ///
  /// - Parameter smallestExponent: The power of ten of the smallest step.
  init(_ range: ClosedRange<Double>, smallestExponent: Int) {
    // The smallest of 1, 2, 5 times a power of ten that needs no more than five steps.
    for exponent in smallestExponent...308 {
      // Dividing by a whole power keeps 0.1 the nearest number to a tenth.
      let unit = exponent < 0 ? 1 / Self.power(-exponent) : Self.power(exponent)
      for factor in [1.0, 2, 5] {
        let step = factor * unit
        let (first, last) = ((range.lowerBound / step).rounded(.down), (range.upperBound / step).rounded(.up))
        guard max(last, first + 1) - first <= 5 else { continue }
        ticks = (0...Int(clamping: max(last, first + 1) - first)).map { (first + Double($0)) * step }
        return
      }
    }
    ticks = [range.lowerBound, max(range.upperBound, range.lowerBound + 1)]
  }

  private static func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  /// The value at the bottom edge.
  var bottom: Double { ticks.first ?? 0 }
  /// The value at the top edge.
  var top: Double { ticks.last ?? 1 }
  /// The distance between two ticks.
  var step: Double { ticks.count > 1 ? ticks[1] - ticks[0] : 1 }
}

/// Formats a coordinate with one decimal: finer than a pixel, and short. Values whose distance is infinite have none, and
/// are drawn at zero.
func coordinate(_ value: Double) -> String {
  let tenths = Int(clamping: (value * 10).rounded())
  return tenths.isMultiple(of: 10) ? String(tenths / 10) : String(Double(tenths) / 10)
}
