import Warehouse

extension Chart {
  /// Marks the places of notes; notes outside the chart's range are ignored.
  mutating func mark(_ notes: [ChartNote]) {
    for note in notes {
      guard let place = slots.firstIndex(where: { $0.days?.contains(note.day) ?? false }) else { continue }
      self.notes[place, default: []].append(note)
    }
  }

  /// The vertical lines of the notes.
  var noteLines: String {
    notes.isEmpty
      ? ""
      : "<path class=\"note\" d=\"\(notes.keys.sorted().map { "M\(coordinate(x($0))) 0V300" }.joined())\"/>"
  }

  /// The notes of a place under the pointer.
  func noteTips(_ place: Int) -> String {
    (notes[place] ?? []).map { "<span class=\"note\">\(escaped($0.text))</span>" }.joined()
  }

  /// All notes as a list below the chart, which needs no pointer.
  var noteList: String {
    let listed = notes.sorted { $0.key < $1.key }.flatMap(\.value)
    guard !listed.isEmpty else { return "" }
    let items = listed.map { "<li><b>\(escaped($0.day.longText))</b> <bdi>\(escaped($0.text))</bdi></li>" }
    return """
      <details class="figures notes"><summary>\(counted(listed.count, "note"))</summary>\
      <ul>\(items.joined())</ul></details>
      """
  }
}

extension PortalPages {
  /// The HTML of a chart with the notes about its days.
  func drawn(_ chart: Chart) -> String {
    var chart = chart
    chart.mark(notes)
    return chart.html()
  }
}
