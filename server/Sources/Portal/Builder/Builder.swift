import Ingest
import Questions
import Reports
import Warehouse

/// A form whose state is the address of its page: a sentence with controls in it, filters, and what is rarely changed.
///
/// Pages that ask questions and filtered reports have the same one.
struct Builder {
  /// The address that the form leads to.
  var action: String
  /// The addresses of suggestions.
  var links: PortalLinks
  /// The parameters that the form keeps without showing them.
  var hidden: [TemplateValues] = []
  /// The controls that read as a sentence.
  var sentence: [BuilderField] = []
  /// The controls that are rarely changed.
  var more: [BuilderField] = []
  var filters: FilterRows
  /// The segment; `nil` if the app has none.
  var segment: BuilderField?
  /// The mistakes, by the name of their field.
  var faults: [String: String] = [:]
  /// True if the form is open on narrow screens, too.
  var isOpen = false
  /// The names of events and screens that fields suggest.
  var names: [TemplateValues] = []
  /// The address that saves the filters as a segment; `nil` for readers who cannot.
  var saving: String?
  /// The page's address with other filters.
  var address: (FilterRows) -> String

  /// The dimensions that fields suggest.
  static let dimensions = ["event", "screen", "version", "os", "model", "country", "language"]

  /// The state in words.
  var words: String {
    let state = filters.words + [segmentWords].compactMap { $0 }
    guard sentence.count > 1 else {
      let parts = state + sentence.compactMap(\.words)
      return "Filter" + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
    }
    let question = sentence.compactMap(\.words).joined(separator: " ")
    return ([question] + state).joined(separator: ", ")
  }

  private var segmentWords: String? {
    guard let segment, !segment.value.isEmpty else { return nil }
    return segment.options?.first { $0.value == segment.value }?.text
  }

  var values: TemplateValues {
    let marked = (sentence + [segment].compactMap { $0 }).map { self.marked($0) }
    let later = more.map { self.marked($0) }
    let (faulty, plain) = (0..<filters.rows.count).reduce(into: ([Int](), [Int]())) { split, index in
      if faults["f\(index + 1)"] == nil { split.1.append(index) } else { split.0.append(index) }
    }
    // Segments are about all rows.
    let kept = filters.ofAllRows
    return [
      "action": action, "isQuestion": sentence.count > 1, "values": links.values, "properties": links.properties,
      "hidden": hidden, "summary": words,
      "isOpen": isOpen || !faults.isEmpty, "parts": Self.parts(marked), "later": later.map(\.values),
      "hasLater": !later.isEmpty, "isMoreOpen": later.contains { $0.fault != nil },
      "chips": plain.map(chip) + filters.others.indices.map(otherChip),
      "rows": faulty.map { FilterRows.fields($0 + 1, filters.rows[$0], fault: faults["f\($0 + 1)"]) },
      "blank": FilterRows.fields(filters.rows.count + 1, nil), "dimensions": Self.dimensions, "names": names,
      "builderScript": PortalAssets.link("builder.js"),
      "saving": kept.isEmpty
        ? nil
        : saving.map { address -> TemplateValues in
          ["address": address, "kept": kept.parameters.map { TemplateValues.hidden($0.0, $0.1) }]
        },
      "clear": filters.isEmpty ? nil : address(FilterRows()),
    ]
  }

  private func marked(_ field: BuilderField) -> BuilderField {
    var field = field
    field.fault = faults[field.name]
    if field.fault != nil { field.isShown = true }
    return field
  }

  private func chip(_ index: Int) -> TemplateValues {
    var rest = filters
    let row = rest.rows.remove(at: index)
    return ["words": row.words, "remove": address(rest), "name": "f\(index + 1)", "text": row.text]
  }

  private func otherChip(_ index: Int) -> TemplateValues {
    var rest = filters
    let other = rest.others.remove(at: index)
    return ["words": FilterRows.words(other), "remove": address(rest)]
  }

  /// The parts of the sentence: a kind of row belongs to its name, and the dates to each other. After the last step of a
  /// funnel there is room for another one.
  static func parts(_ fields: [BuilderField]) -> [TemplateValues] {
    var parts: [[BuilderField]] = []
    for field in fields {
      if ["named", "between"].contains(field.style), !parts.isEmpty {
        parts[parts.count - 1].append(field)
      } else {
        parts.append([field])
      }
    }
    let steps = parts.indices.filter { parts[$0].first?.step != nil }
    return parts.enumerated().map { index, fields in
      let isStep = steps.contains(index)
      let hasRoom = index == steps.last && steps.count < QuestionForm.steps.upperBound
      return [
        "kind": isStep ? "step" : "", "fields": fields.map(\.values),
        "blankStep": hasRoom
          ? ["stepFields": QuestionForm.step(steps.count + 1, nil).map(\.values)] as TemplateValues : nil,
      ]
    }
  }
}
