import Reports
import TernBase
import Warehouse

/// A chart over days or other places, drawn on the server.
///
/// The picture is an SVG without text, stretched to its box. Axis labels, and the numbers of the day under the pointer,
/// are HTML overlaid in equal columns, one per place. The chart is therefore sharp and legible at every width without
/// scripts or inline styles, which the content security policy forbids. Lines are straight: a curve would show values
/// between the places that no one measured.
struct Chart {
  /// The values of one name.
  struct Series {
    var name: String
    /// The value at each place; `nil` interrupts the line.
    var values: [Double?]
    var mark: Mark = .line
    /// True for the values of the other side of a comparison, whose line is dashed.
    var isCompared: Bool = false
    /// The number of the colour in the style sheet, 1…9.
    var color: Int
    /// The pages behind the values; empty if there are none.
    var links: [String?] = []
  }

  /// The mark for a value.
  enum Mark {
    case line
    /// A line over a filled area.
    case area
    /// A bar at each place, which suits rare events.
    case bar
    /// A bar on those of the series before.
    case stack
    /// A bar below zero, under those of the series before.
    case stackBelow

    var isBar: Bool { self != .line && self != .area }
  }

  /// An identifier that is unique among the charts of a page.
  var id: String
  /// The description for screen readers.
  var title: String
  var places: [Place]
  var series: [Series]
  var format = ChartFormat.count
  /// The heading of the places in the chart's table.
  var unit = "Day"
  /// The notes by their places.
  var notes: [Int: [ChartNote]] = [:]

  /// The most places that show their values under the pointer: more would be narrower than the pointer.
  static let maximumTips = 750

  /// The number of the colour of all other values together.
  static let otherColor = 9

  static let width = 1_000.0
  static let height = 300.0

  /// Returns the chart as HTML, with all text escaped.
  func html() -> String {
    let scale = format.scale(extent)
    return """
      <figure class="chart"><figcaption class="legend">\(legend)</figcaption>\
      <div class="plot\(notes.isEmpty ? "" : " flagged")">\
      <ol class="ys" aria-hidden="true">\(ticks(scale))</ol>\
      <div class="canvas">\(picture(scale))<ol class="days" aria-hidden="true">\(columns(scale))</ol></div>\
      </div></figure>\(noteList)
      """
  }

  /// The numbers that the scale encloses: the values, and the ends of stacks.
  private var extent: [Double] {
    let lines = series.filter { $0.mark != .stack && $0.mark != .stackBelow }
    let stacks = series.indices.flatMap { stackEnds($0) }
    return (lines.flatMap(\.values).compactMap { $0 } + stacks).filter(\.isFinite)
  }

  private func ticks(_ scale: ChartScale) -> String {
    scale.ticks.reversed().map { "<li>\(format.text(tick: $0, step: scale.step))</li>" }.joined()
  }

  private var legend: String {
    series.map { "<span class=\"key c\($0.color)\($0.isCompared ? " past" : "")\">\(escaped($0.name))</span>" }.joined()
  }

  private func picture(_ scale: ChartScale) -> String {
    let grid = scale.ticks.map { "M0 \(coordinate(y($0, scale)))H1000" }.joined()
    let zero = scale.bottom < 0 ? "<path class=\"zero\" d=\"M0 \(coordinate(y(0, scale)))H1000\"/>" : ""
    let shapes = series.indices.map { series[$0].mark.isBar ? bars($0, scale) : lines(series[$0], scale) }
    return """
      <svg viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label="\(escaped(title))">\
      <defs>\(series.filter { $0.mark == .area }.map(gradient).joined())</defs><path class="grid" d="\(grid)"/>\
      \(noteLines)\(shapes.joined())\(zero)</svg>
      """
  }

  private func gradient(_ series: Series) -> String {
    """
    <linearGradient id="\(id)-\(series.color)" x1="0" y1="0" x2="0" y2="1">\
    <stop class="top c\(series.color)" offset="0"/><stop class="bottom c\(series.color)" offset="1"/></linearGradient>
    """
  }

  func x(_ index: Int) -> Double { (Double(index) + 0.5) / Double(places.count) * Self.width }

  func y(_ value: Double, _ scale: ChartScale) -> Double {
    Self.height - (value - scale.bottom) / (scale.top - scale.bottom) * Self.height
  }
}

extension Chart.Series {
  /// Creates a line of counts.
  init(name: String, values: [Int], mark: Chart.Mark = .line, color: Int) {
    self.init(name: name, values: values.map { Double($0) }, mark: mark, color: color)
  }
}

extension Chart {
  /// A chart of the days that a page shows.
  init(_ id: String, _ subject: String, days: [Day], _ series: [Series], in request: ReportRequest) {
    self.init(
      id: id, title: "\(subject) per day, \(request.days.text)",
      places: days.map { Place($0, isOpen: $0 >= request.today) }, series: series)
  }

  /// A chart of occurrences and users.
  init(_ id: String, _ days: [DailyTotals], color: Int, in request: ReportRequest) {
    self.init(
      id, "Occurrences", days: days.map(\.day),
      [
        Series(name: "Occurrences", values: days.map(\.count), mark: .area, color: color),
        Series(name: "Users", values: days.map(\.users), color: 3),
      ], in: request)
  }
}
