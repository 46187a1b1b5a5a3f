extension Chart {
  /// A series as straight lines from value to value; a place without a value interrupts them. A line to or from a place
  /// that is not complete is dashed.
  func lines(_ series: Series, _ scale: ChartScale) -> String {
    let drawn = series.values.indices.filter { series.values[$0]?.isFinite ?? false }
    let runs = drawn.reduce(into: [[Int]]()) { runs, place in
      if runs.last?.last == place - 1 { runs[runs.count - 1].append(place) } else { runs.append([place]) }
    }
    func point(_ place: Int) -> String {
      "\(coordinate(x(place))) \(coordinate(y(series.values[place] ?? 0, scale)))"
    }
    func path(_ run: some Sequence<Int>) -> String { "M" + run.map(point).joined(separator: "L") }
    return runs.map { run in
      guard let first = run.first, let last = run.last, first < last else {
        let open = places[run[0]].isOpen ? " open" : ""
        return "<path class=\"dot\(open) c\(series.color)\" d=\"M\(point(run[0]))h0\"/>"
      }
      let area =
        series.mark == .area
        ? "<path fill=\"url(#\(id)-\(series.color))\" d=\"\(path(run))"
          + "L\(coordinate(x(last))) 300L\(coordinate(x(first))) 300Z\"/>" : ""
      if series.isCompared { return area + "<path class=\"line past c\(series.color)\" d=\"\(path(run))\"/>" }
      let isOpen = { (place: Int) in places[place].isOpen || places[place + 1].isOpen }
      var stretches: [ClosedRange<Int>] = []
      for place in first..<last {
        if let stretch = stretches.last, isOpen(stretch.lowerBound) == isOpen(place) {
          stretches[stretches.count - 1] = stretch.lowerBound...place
        } else {
          stretches.append(place...place)
        }
      }
      return area
        + stretches.map { stretch in
          let style = isOpen(stretch.lowerBound) ? "line open" : "line"
          return
            "<path class=\"\(style) c\(series.color)\" d=\"\(path(stretch.lowerBound...stretch.upperBound + 1))\"/>"
        }.joined()
    }.joined()
  }

  /// A series as bars: from zero, or from the ends of those that it stands on.
  func bars(_ index: Int, _ scale: ChartScale) -> String {
    let series = series[index]
    let width = Self.width / Double(places.count) * 0.64
    let (starts, ends) = (stackStarts(index), stackEnds(index))
    return series.values.indices.compactMap { place -> String? in
      guard let value = series.values[place], value.isFinite, value > 0 else { return nil }
      let (from, to) = ends.isEmpty ? (0, value) : (starts[place], ends[place])
      let (top, bottom) = (y(max(from, to), scale), y(min(from, to), scale))
      let open = places[place].isOpen ? " open" : ""
      return """
        <rect class="bar\(open) c\(series.color)" x="\(coordinate(x(place) - width / 2))" y="\(coordinate(top))" \
        width="\(coordinate(width))" height="\(coordinate(bottom - top))"/>
        """
    }.joined()
  }

  /// Where the bars of a stacked series begin: the sums of the series of its kind before it.
  private func stackStarts(_ index: Int) -> [Double] {
    let mark = series[index].mark
    guard mark == .stack || mark == .stackBelow else { return [] }
    return places.indices.map { place in
      let sum = series[..<index].filter { $0.mark == mark }.reduce(0.0) { $0 + ($1.values[place] ?? 0) }
      return mark == .stack ? sum : -sum
    }
  }

  /// Where the bars of a stacked series end; empty for others.
  func stackEnds(_ index: Int) -> [Double] {
    let sign = series[index].mark == .stack ? 1.0 : -1
    return zip(stackStarts(index), series[index].values).map { $0 + sign * ($1 ?? 0) }
  }
}
