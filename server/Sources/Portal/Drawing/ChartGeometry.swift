/// The ticks of a vertical axis that begins at zero: round numbers, at most five steps, the last one at or above the
/// maximum.
struct ChartScale {
  let ticks: [Int]

  init(maximum: Int) {
    var unit = 1
    // The smallest of 1, 2, 5 times a power of ten that needs no more than five steps.
    while true {
      for factor in [1, 2, 5] {
        let step = unit * factor
        let count = max(1, maximum / step + (maximum % step > 0 ? 1 : 0))
        if count <= 5 {
          ticks = (0...count).map { $0 * step }
          return
        }
      }
      guard unit <= Int.max / 100 else { break }
      unit *= 10
    }
    ticks = [0, Int.max]
  }

  /// The value at the top edge.
  var top: Int { ticks.last ?? 1 }
}

/// A point of a curve in SVG units.
struct CurvePoint {
  var x: Double
  var y: Double
}

/// A smooth curve through points that never overshoots them (Fritsch and Carlson's condition), so that a day with zero
/// does not dip below zero.
struct MonotoneCurve {
  private let points: [CurvePoint]
  private let slopes: [Double]

  init(_ points: [CurvePoint]) {
    self.points = points
    guard points.count > 1 else {
      slopes = points.map { _ in 0 }
      return
    }
    let secants = points.indices.dropLast().map { index in
      (points[index + 1].y - points[index].y) / (points[index + 1].x - points[index].x)
    }
    slopes = points.indices.map { index in
      guard index > 0 else { return secants[0] }
      guard index < secants.count else { return secants[secants.count - 1] }
      let (before, after) = (secants[index - 1], secants[index])
      // Zero slope at extrema; elsewhere, the harmonic mean stays below three times the smaller secant.
      return before * after <= 0 ? 0 : 2 * before * after / (before + after)
    }
  }

  /// Returns the path through a range of points, beginning with a move.
  func path(_ range: Range<Int>) -> String {
    var path = ""
    for index in range {
      let point = points[index]
      if index == range.lowerBound {
        path += "M\(coordinate(point.x)) \(coordinate(point.y))"
        continue
      }
      let before = points[index - 1]
      let third = (point.x - before.x) / 3
      path += "C\(coordinate(before.x + third)) \(coordinate(before.y + slopes[index - 1] * third))"
      path += " \(coordinate(point.x - third)) \(coordinate(point.y - slopes[index] * third))"
      path += " \(coordinate(point.x)) \(coordinate(point.y))"
    }
    return path
  }
}

/// Formats a coordinate with one decimal: finer than a pixel, and short.
func coordinate(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return tenths.isMultiple(of: 10) ? String(tenths / 10) : String(Double(tenths) / 10)
}
