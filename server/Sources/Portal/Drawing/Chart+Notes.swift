import Reports
import Warehouse

extension Chart {
  /// Marks the places of notes; notes outside the chart's range are ignored.
  mutating func mark(_ notes: [ChartNote]) {
    for note in notes {
      guard let place = places.firstIndex(where: { $0.days?.contains(note.day) ?? false }) else { continue }
      self.notes[place, default: []].append(note)
    }
  }

  /// The vertical lines of the notes.
  var noteLines: String {
    notes.isEmpty
      ? ""
      : "<path class=\"note\" d=\"\(notes.keys.sorted().map { "M\(coordinate(x($0))) 0V300" }.joined())\"/>"
  }

  /// The labels above the lines of notes, by place.
  ///
  /// A label that would run into the one before it is left out: on narrow screens more of them than on wide ones. The
  /// list below the chart has all.
  var noteFlags: [Int: String] {
    let (narrow, wide) = (LabelRow(width: 250), LabelRow(width: 460))
    var rows = (narrow: narrow, wide: wide)
    var flags: [Int: String] = [:]
    for (place, notes) in notes.sorted(by: { $0.key < $1.key }) {
      guard let first = notes.first else { continue }
      let more = notes.count > 1 ? " +\(notes.count - 1)" : ""
      let text = shown(first.label, limit: 16) + more
      let position = x(place) / Self.width
      let fitsNarrow = rows.narrow.place(text, at: position)
      guard rows.wide.place(text, at: position) else { continue }
      let side = position > 0.5 ? " before" : ""
      flags[place] = "<span class=\"flag\(side)\(fitsNarrow ? "" : " minor")\">\(escaped(text))</span>"
    }
    return flags
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

/// A row of labels in a chart of some width, which must not run into each other.
private struct LabelRow {
  /// The width of the chart in pixels: the least at which the labels are shown.
  let width: Double
  private var end = 0.0

  init(width: Double) { self.width = width }

  /// Takes the room of a label at a position from 0 to 1; returns false if it is taken already. In the second half a label
  /// stands before its line, so that it stays in the chart.
  mutating func place(_ text: String, at position: Double) -> Bool {
    let length = Double(text.count) * 6.5 + 10
    let start = position * width - (position > 0.5 ? length : 0)
    guard start >= end else { return false }
    end = start + length
    return true
  }
}

extension PageVisit {
  /// The HTML of a chart with the notes about its days.
  func drawn(_ chart: Chart) -> String {
    var chart = chart
    chart.mark(notes)
    return chart.html()
  }
}
