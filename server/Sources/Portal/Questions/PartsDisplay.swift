import Questions

/// The way in which a chart draws the parts of a figure.
enum PartsDisplay: String, CaseIterable {
  case lines = ""
  case stacked, percent

  /// The text of the link that chooses it.
  var title: String {
    switch self {
    case .lines: "Lines"
    case .stacked: "Stacked"
    case .percent: "Percent"
    }
  }

  /// The option of the form.
  var option: (String, String) {
    switch self {
    case .lines: ("", "a chart with its numbers")
    case .stacked: (rawValue, "parts on top of each other")
    case .percent: (rawValue, "parts in percent of their sum")
    }
  }

  /// Draws lines of counts in this way. Someone with two values counts under both, so that parts are those of the sum.
  func drawn(_ lines: [Chart.Series]) -> [Chart.Series] {
    guard self != .lines, let places = lines.first?.values.count else { return lines }
    let sums = (0..<places).map { place in lines.reduce(0) { $0 + ($1.values[place] ?? 0) } }
    return lines.map { line in
      var bars = line
      bars.mark = .stack
      if self == .percent { bars.values = zip(line.values, sums).map { $1 > 0 ? ($0 ?? 0) / $1 : nil } }
      return bars
    }
  }
}

extension QuestionForm {
  /// The way in which the chart of a breakdown draws its lines. Only counts add up to a whole.
  var parts: PartsDisplay { format == .count ? self["show"].flatMap { PartsDisplay(rawValue: $0) } ?? .lines : .lines }

  /// The links that choose how a chart of a breakdown is drawn; none where only lines make sense, and on cards.
  func partsLinks(_ visit: PageVisit, _ links: PortalLinks) -> [TemplateValues] {
    guard format == .count, card == nil, !visit.reader.isGuest else { return [] }
    return PartsDisplay.allCases.map { display in
      .link(
        display.title, links.question(page, query(["show": display == .lines ? nil : display.rawValue])),
        isActive: display == parts)
    }
  }
}
