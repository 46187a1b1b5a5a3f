import Questions

/// The intervals of a figure and of the one that it is compared with, as two lines on the scale of their column.
struct BoundsDrawing {
  /// The ends of the scale.
  let scale: ClosedRange<Double>

  /// Creates the drawing of a column; `nil` if it has no intervals.
  init?(_ intervals: [Interval]) {
    guard let low = intervals.map(\.low).min(), let high = intervals.map(\.high).max(), low.isFinite, high.isFinite
    else {
      return nil
    }
    scale = low...max(high, low + 1e-9)
  }

  /// Returns the lines as SVG: the release above, the one before below.
  func svg(_ current: (value: Double, interval: Interval), before: (value: Double, interval: Interval)?) -> String {
    let past = before.map { line($0, y: 9, style: "past") } ?? ""
    return """
      <svg class="bounds" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">\(past)\
      \(line(current, y: 3, style: "now"))</svg>
      """
  }

  private func line(_ figure: (value: Double, interval: Interval), y: Int, style: String) -> String {
    let middle = x(figure.value)
    return """
      <path class="\(style)" d="M\(coordinate(x(figure.interval.low))) \(y)H\(coordinate(x(figure.interval.high)))\
      M\(coordinate(middle)) \(y - 3)V\(y + 3)"/>
      """
  }

  private func x(_ value: Double) -> Double {
    1 + min(max((value - scale.lowerBound) / (scale.upperBound - scale.lowerBound), 0), 1) * 98
  }
}
