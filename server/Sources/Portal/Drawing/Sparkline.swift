/// A small line without axes.
enum Sparkline {
  /// Returns the line as SVG, or an empty string for fewer than two values. The number of the colour is that in the
  /// style sheet.
  static func svg(_ values: [Int], color: Int) -> String {
    guard values.count > 1 else { return "" }
    let top = Double(max(values.max() ?? 0, 1))
    let points = values.enumerated().map { index, value in
      let (x, y) = (Double(index) / Double(values.count - 1) * 100, 27 - Double(value) / top * 24)
      return "\(coordinate(x)) \(coordinate(y))"
    }
    let path = "M" + points.joined(separator: "L")
    return """
      <svg class="spark c\(color)" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">\
      <path class="under" d="\(path)L100 30L0 30Z"/><path class="line" d="\(path)"/></svg>
      """
  }
}

/// A bar that shows a share.
enum ShareBar {
  /// Returns the bar as SVG; `part` is from 0 to 1.
  static func svg(_ part: Double, color: Int = 1) -> String {
    """
    <svg class="share c\(color)" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">\
    <rect class="bar" width="\(coordinate(min(max(part, 0), 1) * 100))" height="1"/></svg>
    """
  }
}
