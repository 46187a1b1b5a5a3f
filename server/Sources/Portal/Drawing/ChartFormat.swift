import Reports
import TernBase
import Warehouse

/// The unit of a chart's values, which decides on the scale and on the texts.
enum ChartFormat: Sendable, Equatable {
  /// Whole numbers from zero on.
  case count
  /// Shares from 0 to 1, shown as percentages.
  case share
  /// Shares that are close to 1. Their scale begins below the lowest one, because 99.2 % and 99.9 % would look alike on a
  /// scale from zero.
  case highShare
  /// Averages, sums and other numbers, which may be negative.
  case number
  /// Durations in seconds, shown as `2 min 5 s`.
  case duration

  /// Returns the scale of some values.
  func scale(_ values: [Double]) -> ChartScale {
    let (lowest, highest) = (values.min() ?? 0, values.max() ?? 0)
    switch self {
    case .count, .duration: return ChartScale(min(lowest, 0)...max(highest, 0), smallestExponent: 0)
    case .number: return ChartScale(min(lowest, 0)...max(highest, 0), smallestExponent: -6)
    case .share: return ChartScale(0...max(highest, 0), smallestExponent: -4)
    case .highShare:
      guard lowest >= 0.5, highest <= 1 else { return ChartScale(0...max(highest, 0), smallestExponent: -4) }
      // The ticks are those of the distance to 100 %, from the top down.
      let gaps = ChartScale(0...max(1 - lowest, 0.005), smallestExponent: -4)
      return ChartScale(ticks: gaps.ticks.reversed().map { 1 - $0 })
    }
  }

  /// Formats a value in full.
  func text(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "–" }
    switch self {
    case .count: return grouped(whole(value))
    case .share, .highShare: return preciseShare(value)
    case .duration: return durationText(seconds: value)
    case .number:
      let hundredths = (value * 100).rounded() / 100
      guard abs(hundredths) < 1e15 else { return String(value) }
      let number = Int(clamping: hundredths)
      let cents = Int(clamping: (abs(hundredths) * 100).rounded()) % 100
      let sign = hundredths < 0 && number == 0 ? "-" : ""
      guard cents > 0 else { return grouped(number) }
      return "\(sign)\(grouped(number)).\(cents.isMultiple(of: 10) ? String(cents / 10) : padded(cents))"
    }
  }

  /// Formats a tick of a scale.
  func text(tick value: Double, step: Double) -> String {
    switch self {
    case .count: return value < 0 ? "-\(compact(whole(-value)))" : compact(whole(value))
    case .share, .highShare: return "\(shortest(value * 100, step: step * 100)) %"
    case .duration: return durationText(seconds: value)
    case .number: return abs(value) >= 1_000 ? compact(whole(value)) : shortest(value, step: step)
    }
  }

  /// Formats a number with the decimals that tell ticks apart.
  private func shortest(_ value: Double, step: Double) -> String {
    var (decimals, unit) = (0, 1.0)
    while decimals < 6, abs((step * unit).rounded() - step * unit) > 1e-6 {
      (decimals, unit) = (decimals + 1, unit * 10)
    }
    let scaled = Int(clamping: (value * unit).rounded().clamped(to: -1e15...1e15))
    guard decimals > 0 else { return String(scaled) }
    let digits = String(abs(scaled))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return "\(scaled < 0 ? "-" : "")\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}

/// Formats a share as a percentage: with two decimals close to 0 or 1, where tenths would look alike.
func preciseShare(_ part: Double) -> String {
  let hundredths = Int(clamping: (part * 10_000).rounded().clamped(to: -1e15...1e15))
  guard (1..<100).contains(hundredths) || (9_901..<10_000).contains(hundredths) else { return percentage(part) }
  return "\(hundredths / 100).\(padded(hundredths % 100)) %"
}

extension Double {
  /// Returns the nearest value in a range; the lower bound for NaN.
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    self > range.lowerBound ? min(self, range.upperBound) : range.lowerBound
  }
}
