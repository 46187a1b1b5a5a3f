import TernBase

extension Chart {
  /// The texts over the picture, in equal columns: labels of the axis and of notes, and the values of each place.
  func columns(_ scale: ChartScale) -> String {
    // About six labels, counted from the last place, so that the last place always has one.
    let labelled = places.indices.filter { places[$0].isLabelled }
    let step = max(1, Int(clamping: (Double(labelled.count) / 6).rounded(.up)))
    let ranks = Dictionary(uniqueKeysWithValues: labelled.reversed().enumerated().map { ($1, $0) })
    // A place has one page, so of several lines only one may have pages.
    let linked = series.filter { !$0.isCompared && !$0.links.isEmpty }
    let links = linked.count == 1 ? linked[0].links : []
    let flags = noteFlags
    return places.indices.map { index in
      let fromEnd = ranks[index] ?? 1
      let label =
        ranks[index] != nil && fromEnd.isMultiple(of: step)
        ? "<span class=\"x\(fromEnd.isMultiple(of: step * 2) ? "" : " minor")\">\(escaped(places[index].axis))</span>"
        : ""
      let texts = label + (flags[index] ?? "")
      guard places.count <= Self.maximumTips else { return "<li>\(texts)</li>" }
      // In the second half, numbers are to the left of the pointer, so that they stay on the page.
      let side = index * 2 >= places.count ? " class=\"late\"" : ""
      // The table has the same links for the keyboard and for screen readers.
      let link = links.indices.contains(index) ? links[index] : nil
      let hit = link.map { "<a class=\"hit\" tabindex=\"-1\" href=\"\(escaped($0))\"></a>" } ?? ""
      return "<li\(side)>\(texts)\(dots(index, scale))\(tip(index))\(hit)</li>"
    }.joined()
  }

  private func dots(_ index: Int, _ scale: ChartScale) -> String {
    let marks = series.filter { !$0.mark.isBar }.compactMap { series -> String? in
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
    let open = places[index].isOpen ? " · not complete" : ""
    return
      "<div class=\"tip\"><strong>\(escaped(places[index].title))\(open)</strong>\(lines.joined())\(noteTips(index))</div>"
  }
}
