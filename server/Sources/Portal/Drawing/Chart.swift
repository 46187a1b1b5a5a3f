import Reports
import TernBase
import Warehouse

/// A line chart over days or other places, drawn on the server.
///
/// The picture is an SVG without text, stretched to its box. Axis labels, and the numbers of the day under the pointer,
/// are HTML overlaid in equal columns, one per place. The chart is therefore sharp and legible at every width without
/// scripts or inline styles, which the content security policy forbids.
struct Chart {
  /// One line.
  struct Series {
    var name: String
    /// The value at each place; `nil` interrupts the line.
    var values: [Double?]
    /// True to fill the area under the line.
    var isFilled: Bool = false
    /// True to draw each place as a bar, which suits rare events.
    var isBars: Bool = false
    /// True for the values of another period, whose line is dashed.
    var isCompared: Bool = false
    /// The number of the colour in the style sheet, 1…4.
    var color: Int
    /// The pages behind the values; empty if there are none.
    var links: [String?] = []
  }

  /// An identifier that is unique among the charts of a page.
  var id: String
  /// The description for screen readers.
  var title: String
  var slots: [Slot]
  var series: [Series]
  /// True if the last place is not over; the line to it is dashed.
  var endsToday = false
  var format = ChartFormat.count
  /// The heading of the places in the chart's table.
  var unit = "Day"
  /// The notes by their places.
  var notes: [Int: [ChartNote]] = [:]

  /// The most places that show their values under the pointer: more would be narrower than the pointer.
  static let maximumTips = 750

  static let width = 1_000.0
  static let height = 300.0

  /// Returns the chart as HTML, with all text escaped.
  func html() -> String {
    let scale = format.scale(series.flatMap(\.values).compactMap { $0 }.filter(\.isFinite))
    return """
      <figure class="chart"><figcaption class="legend">\(legend)</figcaption><div class="plot">\
      <ol class="ys" aria-hidden="true">\(ticks(scale))</ol>\
      <div class="canvas">\(picture(scale))<ol class="days" aria-hidden="true">\(columns(scale))</ol></div>\
      </div></figure>\(noteList)
      """
  }

  private func ticks(_ scale: ChartScale) -> String {
    scale.ticks.reversed().map { "<li>\(format.text(tick: $0, step: scale.step))</li>" }.joined()
  }

  private var legend: String {
    series.map { "<span class=\"key c\($0.color)\($0.isCompared ? " past" : "")\">\(escaped($0.name))</span>" }.joined()
  }

  private func picture(_ scale: ChartScale) -> String {
    let grid = scale.ticks.map { "M0 \(coordinate(y($0, scale)))H1000" }.joined()
    return """
      <svg viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label="\(escaped(title))">\
      <defs>\(series.filter(\.isFilled).map(gradient).joined())</defs><path class="grid" d="\(grid)"/>\(noteLines)\
      \(series.map { shape($0, scale) }.joined())</svg>
      """
  }

  private func gradient(_ series: Series) -> String {
    """
    <linearGradient id="\(id)-\(series.color)" x1="0" y1="0" x2="0" y2="1">\
    <stop class="top c\(series.color)" offset="0"/><stop class="bottom c\(series.color)" offset="1"/></linearGradient>
    """
  }

  private func shape(_ series: Series, _ scale: ChartScale) -> String {
    if series.isBars { return bars(series, scale) }
    let places = series.values.indices.filter { series.values[$0]?.isFinite ?? false }
    // A place without a value interrupts the line.
    let runs = places.reduce(into: [[Int]]()) { runs, place in
      if runs.last?.last == place - 1 { runs[runs.count - 1].append(place) } else { runs.append([place]) }
    }
    return runs.map { run in
      let points = run.map { CurvePoint(x: x($0), y: y(series.values[$0] ?? 0, scale)) }
      return line(points, series, isOpen: endsToday && run.last == slots.count - 1 && slots.count > 2)
    }.joined()
  }

  private func line(_ points: [CurvePoint], _ series: Series, isOpen: Bool) -> String {
    guard let first = points.first, let last = points.last else { return "" }
    guard points.count > 1 else {
      return "<path class=\"dot c\(series.color)\" d=\"M\(coordinate(first.x)) \(coordinate(first.y))h0\"/>"
    }
    let curve = MonotoneCurve(points)
    let area =
      series.isFilled
      ? "<path fill=\"url(#\(id)-\(series.color))\" d=\"\(curve.path(0..<points.count))"
        + "L\(coordinate(last.x)) 300L\(coordinate(first.x)) 300Z\"/>" : ""
    if series.isCompared {
      return area + "<path class=\"line past c\(series.color)\" d=\"\(curve.path(0..<points.count))\"/>"
    }
    let solid = isOpen ? points.count - 1 : points.count
    let line = solid > 1 ? "<path class=\"line c\(series.color)\" d=\"\(curve.path(0..<solid))\"/>" : ""
    guard solid < points.count else { return area + line }
    let open = "<path class=\"line open c\(series.color)\" d=\"\(curve.path(solid - 1..<points.count))\"/>"
    return area + line + open
  }

  private func bars(_ series: Series, _ scale: ChartScale) -> String {
    let width = Self.width / Double(slots.count) * 0.64
    return series.values.enumerated().compactMap { index, value -> String? in
      guard let value, value > 0 else { return nil }
      let top = y(value, scale)
      let open = endsToday && index == slots.count - 1 ? " open" : ""
      return """
        <rect class="bar\(open) c\(series.color)" x="\(coordinate(x(index) - width / 2))" y="\(coordinate(top))" \
        width="\(coordinate(width))" height="\(coordinate(Self.height - top))"/>
        """
    }.joined()
  }

  private func columns(_ scale: ChartScale) -> String {
    // About six labels, counted from the last place, so that the last place always has one.
    let labelled = slots.indices.filter { slots[$0].isLabelled }
    let step = max(1, Int(clamping: (Double(labelled.count) / 6).rounded(.up)))
    let ranks = Dictionary(uniqueKeysWithValues: labelled.reversed().enumerated().map { ($1, $0) })
    let links = series.count(where: { !$0.isCompared }) == 1 ? series[0].links : []
    return slots.indices.map { index in
      let fromEnd = ranks[index] ?? 1
      let label =
        ranks[index] != nil && fromEnd.isMultiple(of: step)
        ? "<span class=\"x\(fromEnd.isMultiple(of: step * 2) ? "" : " minor")\">\(escaped(slots[index].axis))</span>"
        : ""
      guard slots.count <= Self.maximumTips else { return "<li>\(label)</li>" }
      // In the second half, numbers are to the left of the pointer, so that they stay on the page.
      let side = index * 2 >= slots.count ? " class=\"late\"" : ""
      // The table has the same links for the keyboard and for screen readers.
      let link = links.indices.contains(index) ? links[index] : nil
      let hit = link.map { "<a class=\"hit\" tabindex=\"-1\" href=\"\(escaped($0))\"></a>" } ?? ""
      return "<li\(side)>\(label)\(dots(index, scale))\(tip(index))\(hit)</li>"
    }.joined()
  }

  private func dots(_ index: Int, _ scale: ChartScale) -> String {
    let marks = series.filter { !$0.isBars }.compactMap { series -> String? in
      guard let value = series.values[index], value.isFinite else { return nil }
      return "<path class=\"dot c\(series.color)\" d=\"M5 \(coordinate(y(value, scale)))h0\"/>"
    }
    return """
      <svg viewBox="0 0 10 300" preserveAspectRatio="none"><path class="guide" d="M5 0V300"/>\(marks.joined())</svg>
      """
  }

  private func tip(_ index: Int) -> String {
    let lines = series.map {
      "<span class=\"key c\($0.color)\($0.isCompared ? " past" : "")\">\(escaped($0.name))"
        + "<b>\(format.text($0.values[index]))</b></span>"
    }
    let open = endsToday && index == slots.count - 1 ? " · so far" : ""
    return
      "<div class=\"tip\"><strong>\(escaped(slots[index].title))\(open)</strong>\(lines.joined())\(noteTips(index))</div>"
  }

  func x(_ index: Int) -> Double { (Double(index) + 0.5) / Double(slots.count) * Self.width }

  private func y(_ value: Double, _ scale: ChartScale) -> Double {
    Self.height - (value - scale.bottom) / (scale.top - scale.bottom) * Self.height
  }
}

extension Chart.Series {
  /// Creates a line of counts.
  init(name: String, values: [Int], isFilled: Bool = false, isBars: Bool = false, color: Int) {
    self.init(name: name, values: values.map { Double($0) }, isFilled: isFilled, isBars: isBars, color: color)
  }
}

extension Chart {
  /// A chart of counts over days.
  init(id: String, title: String, days: [Day], series: [Series], endsToday: Bool = false) {
    self.init(id: id, title: title, slots: days.map { Slot($0) }, series: series, endsToday: endsToday)
  }

  /// A chart of the days that a page shows.
  init(_ id: String, _ subject: String, days: [Day], _ series: [Series], in request: ReportRequest) {
    self.init(
      id: id, title: "\(subject) per day, \(request.days.text)", days: days, series: series,
      endsToday: request.days.upperBound == request.today)
  }

  /// A chart of occurrences and users.
  init(_ id: String, _ days: [DailyTotals], color: Int, in request: ReportRequest) {
    self.init(
      id, "Occurrences", days: days.map(\.day),
      [
        Series(name: "Occurrences", values: days.map(\.count), isFilled: true, color: color),
        Series(name: "Users", values: days.map(\.users), color: 3),
      ], in: request)
  }
}

/// A small line without axes.
enum Sparkline {
  /// Returns the line as SVG, or an empty string for fewer than two values. The number of the colour is that in the
  /// style sheet.
  static func svg(_ values: [Int], color: Int) -> String {
    guard values.count > 1 else { return "" }
    let top = Double(max(values.max() ?? 0, 1))
    let points = values.enumerated().map { index, value in
      CurvePoint(x: Double(index) / Double(values.count - 1) * 100, y: 27 - Double(value) / top * 24)
    }
    let path = MonotoneCurve(points).path(0..<points.count)
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
