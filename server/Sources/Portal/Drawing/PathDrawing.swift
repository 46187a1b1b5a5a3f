import Questions
import Reports
import Warehouse

/// The flow of sessions from step to step, drawn on the server.
///
/// Boxes are HTML in an SVG, so that long names are cut at the edge of their box, and so that links work with the keyboard
/// and with screen readers as anywhere else. The bands between them repeat numbers of the table and are hidden from
/// screen readers.
struct PathDrawing {
  /// The addresses of the paths from a node on, and of those that lead to it.
  struct Links {
    var forwards: String
    var backwards: String
  }

  var flow: PathFlow
  /// A note above each column.
  var headings: [String]
  /// The name of a node.
  var name: (PathsAnswer.Node) -> String
  var links: (PathsAnswer.Node) -> Links?

  private static let (boxWidth, gap, heading, space) = (136.0, 68.0, 26.0, 10.0)
  private static let minimumHeight = 46.0
  /// The height of all sessions of the largest column.
  private static let flowHeight = 260.0

  /// Returns the drawing as HTML, with all text escaped.
  func html() -> String {
    let largest = flow.columns.map { $0.reduce(0) { $0 + flow.sessions($1) } }.max() ?? 0
    let scale = largest > 0 ? Self.flowHeight / Double(largest) : 0
    var tops: [PathFlow.Place: Double] = [:]
    var bottom = 0.0
    for column in flow.columns {
      var top = Self.heading
      for place in column {
        tops[place] = top
        top += height(place, scale) + Self.space
      }
      bottom = max(bottom, top)
    }
    let columns = Double(flow.columns.count)
    let width = columns * Self.boxWidth + max(columns - 1, 0) * Self.gap
    let boxes = flow.columns.joined().map { box($0, tops[$0] ?? 0, scale) }.joined()
    return """
      <div class="flow" tabindex="0" role="region" aria-label="Paths as a drawing">\
      <svg width="\(coordinate(width))" height="\(coordinate(bottom))" viewBox="0 0 \(coordinate(width)) \(coordinate(bottom))">\
      <g aria-hidden="true">\(bands(tops, scale))</g>\(captions)\(boxes)</svg></div>
      """
  }

  private var captions: String {
    headings.enumerated().map { column, text in
      """
      <foreignObject x="\(coordinate(x(column)))" y="0" width="\(coordinate(Self.boxWidth + Self.gap - 6))" \
      height="22"><div class="step">\(escaped(text))</div></foreignObject>
      """
    }.joined()
  }

  private func box(_ place: PathFlow.Place, _ top: Double, _ scale: Double) -> String {
    let (left, height) = (x(place.column), height(place, scale))
    let mark = max(Double(flow.sessions(place)) * scale, 2)
    return """
      <rect class="box" x="\(coordinate(left))" y="\(coordinate(top))" width="\(coordinate(Self.boxWidth))" \
      height="\(coordinate(height))" rx="7"/>\
      <rect class="mark" x="\(coordinate(left))" y="\(coordinate(top))" width="4" height="\(coordinate(min(mark, height)))" \
      rx="2"/>\
      <foreignObject x="\(coordinate(left))" y="\(coordinate(top))" width="\(coordinate(Self.boxWidth))" \
      height="\(coordinate(height))">\(label(place))</foreignObject>
      """
  }

  private func label(_ place: PathFlow.Place) -> String {
    let sessions = "<span class=\"count\">\(grouped(flow.sessions(place)))</span>"
    guard let node = place.node else {
      return "<div class=\"stop\"><span class=\"name\">(other)</span>\(sessions)</div>"
    }
    let name = escaped(name(node))
    guard let links = links(node) else {
      return "<div class=\"stop\"><span class=\"name\" title=\"\(name)\"><bdi>\(name)</bdi></span>\(sessions)</div>"
    }
    return """
      <div class="stop"><a class="name" href="\(escaped(links.forwards))" title="\(name)"><bdi>\(name)</bdi></a>\(sessions)\
      <a class="back" href="\(escaped(links.backwards))"><span aria-hidden="true">←</span>\
      <span class="aside">Paths that lead to \(name)</span></a></div>
      """
  }

  private func bands(_ tops: [PathFlow.Place: Double], _ scale: Double) -> String {
    // Bands leave and enter a box from its top on, in the order of the boxes at their other ends.
    var (left, entered): ([PathFlow.Place: Double], [PathFlow.Place: Double]) = ([:], [:])
    return flow.bands.map { band in
      let thickness = Double(band.sessions) * scale
      let (from, to) = (
        (tops[band.from] ?? 0) + left[band.from, default: 0], (tops[band.to] ?? 0) + entered[band.to, default: 0]
      )
      left[band.from, default: 0] += thickness
      entered[band.to, default: 0] += thickness
      let (start, end) = (x(band.from.column) + Self.boxWidth, x(band.to.column))
      let (middle, height) = ((start + end) / 2, max(thickness, 1))
      func curve(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) -> String {
        "C\([middle, y0, middle, y1, x1, y1].map { coordinate($0) }.joined(separator: " "))"
      }
      let path =
        "M\(coordinate(start)) \(coordinate(from))\(curve(start, from, end, to))V\(coordinate(to + height))"
        + "\(curve(end, to + height, start, from + height))Z"
      let text = "\(text(band.from)) → \(text(band.to)): \(counted(band.sessions, "session"))"
      return "<path class=\"band\" d=\"\(path)\"><title>\(escaped(text))</title></path>"
    }.joined()
  }

  private func text(_ place: PathFlow.Place) -> String { place.node.map(name) ?? "(other)" }

  private func height(_ place: PathFlow.Place, _ scale: Double) -> Double {
    max(Double(flow.sessions(place)) * scale, Self.minimumHeight)
  }

  private func x(_ column: Int) -> Double { Double(column) * (Self.boxWidth + Self.gap) }
}
