import Reports
import Warehouse

/// The steps of a funnel as bars, with what is lost between them, drawn on the server.
///
/// Every step is a column of its own: a picture without text, stretched to its box, and the figures below it as HTML. The
/// columns share the width, so a funnel fits wherever it is shown.
struct FunnelDrawing {
  /// The steps of one group of persons.
  struct Bars {
    var name: String
    /// The share of the first step that reached each step, from 0 to 1.
    var shares: [Double]
    /// The number of the colour in the style sheet, 1…9.
    var color: Int
    /// True for the group with which the others are compared.
    var isCompared = false
  }

  /// The figures below a step.
  struct Step {
    var name: String
    var persons: Int
    var share: Double?
    var lost: Int
    /// The persons who took the step, and those who did not; `nil` if they can't be shown.
    var links: (reached: String?, lost: String?)
  }

  var steps: [Step]
  var bars: [Bars]

  /// Returns the drawing as HTML, with all text escaped.
  func html() -> String {
    let legend =
      bars.count > 1
      ? "<figcaption class=\"legend\">"
        + bars.map { "<span class=\"key c\($0.color)\($0.isCompared ? " past" : "")\">\(escaped($0.name))</span>" }
        .joined() + "</figcaption>" : ""
    let columns = steps.indices.map { "<li>\(picture($0))\(caption($0))</li>" }
    return "<figure class=\"funnel\">\(legend)<ol>\(columns.joined())</ol></figure>"
  }

  /// The bars of a step on a ground of 100 by 100, and between this step and the next a band that narrows.
  private func picture(_ step: Int) -> String {
    let width = 64.0 / Double(max(bars.count, 1))
    let columns = bars.enumerated().map { place, bars -> String in
      let share = share(bars, step)
      let before = step == 0 ? share : self.share(bars, step - 1)
      let style = "c\(bars.color)\(bars.isCompared ? " past" : "")"
      let x = Double(place) * width
      let gap = self.bars.count > 1 ? 1.5 : 0
      let box = "x=\"\(coordinate(x))\" width=\"\(coordinate(width - gap))\""
      return """
        <rect class="lost \(style)" \(box) y="\(coordinate(100 - before))" height="\(coordinate(before - share))"/>\
        <rect class="bar \(style)" \(box) y="\(coordinate(100 - share))" height="\(coordinate(share))"/>
        """
    }
    let band: String
    if bars.count == 1, step + 1 < steps.count {
      let (from, to) = (share(bars[0], step), share(bars[0], step + 1))
      band =
        "<path class=\"band c\(bars[0].color)\" d=\"M64 \(coordinate(100 - from))L100 \(coordinate(100 - to))V100H64Z\"/>"
    } else {
      band = ""
    }
    return """
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">\(columns.joined())\(band)</svg>
      """
  }

  private func share(_ bars: Bars, _ step: Int) -> Double {
    bars.shares.indices.contains(step) ? min(max(bars.shares[step], 0), 1) * 100 : 0
  }

  private func caption(_ index: Int) -> String {
    let step = steps[index]
    let lost =
      step.lost > 0
      ? "<span class=\"loss\">\(link("−\(grouped(step.lost))", step.links.lost)) stopped before</span>" : ""
    return """
      <div class="stepname">\(index + 1). <bdi>\(escaped(step.name))</bdi></div>\
      <div class="reached"><b>\(link(grouped(step.persons), step.links.reached))</b>\
      \(step.share.map { " <span>\(percentage($0))</span>" } ?? "")</div>\(lost)
      """
  }

  private func link(_ text: String, _ address: String?) -> String {
    address.map { "<a href=\"\(escaped($0))\">\(text)</a>" } ?? text
  }
}
