import Ingest
import Questions
import Reports
import Warehouse

extension PortalPages {
  /// The parameters of a report's address in which the rows of the filter bar have become filters.
  package static func merged(_ parameters: [String: String]) -> [String: String] { FilterRows.merged(parameters) }

  /// The form that filters a report; `nil` for reports about all rows.
  func filterBar(_ request: ReportRequest) -> TemplateValues? {
    guard !reader.isGuest, request.isFilterable else { return nil }
    let filter = FilterRows(json: request.filter.json)
    let links = PortalLinks(request)
    var kept = request.report.parameters.compactMap { parameter in
      request[parameter].map { TemplateValues.hidden(parameter.name, $0) }
    }
    kept += [
      .hidden("from", request.days.lowerBound.description), .hidden("to", request.days.upperBound.description),
    ]
    if !filter.others.isEmpty {
      kept.append(.hidden("filters", String(decoding: JSONTree.array(filter.others).encoded, as: UTF8.self)))
    }
    let isFiltered = !request.filter.isEmpty || request.comparison != nil
    return [
      "isFiltered": isFiltered, "summary": summary(request, filter),
      "action": PortalLinks(app: request.app).page(request.report), "kept": kept, "filters": filter.fields,
      "shared": (segments.isEmpty ? [] : [segmentField(request.filter.segment)]) + [
        comparisonField(request.comparison)
      ],
      "segment": segmentForm(request), "values": links.values,
      "properties": links.properties,
      "clear": isFiltered ? links.unfiltered.page(request) : nil, "dimensions": Self.dimensions,
    ]
  }

  /// A warning that days before the kept rows are empty; `nil` if the page has no filter or the app keeps all rows.
  func keepingNotice(_ request: ReportRequest, _ app: App) -> String? {
    guard !request.filter.isEmpty, request.isFilterable, let keeping = app.keeping else { return nil }
    return "Filtered pages count rows, which this app keeps for \(keeping.words): days before are empty or incomplete."
  }

  /// The filter in words, for guests, who have no form; `nil` without one.
  func filterSummary(_ request: ReportRequest) -> String? {
    guard !request.filter.isEmpty, request.isFilterable else { return nil }
    return summary(request, FilterRows(json: request.filter.json))
  }

  /// The form that saves the filters as a segment; `nil` without filters, and for readers who cannot edit.
  private func segmentForm(_ request: ReportRequest) -> TemplateValues? {
    guard reader.canEdit, !request.filter.json.isEmpty else { return nil }
    return ["address": PortalLinks(app: request.app).segments, "filters": request.filter.json]
  }

  private func segmentField(_ chosen: Int64?) -> TemplateValues {
    .choice(
      "Segment", "segment", [(value: "", text: "None")] + segments.map { ($0.id.description, shown($0.name)) },
      chosen: chosen?.description)
  }

  private func comparisonField(_ chosen: ReportComparison?) -> TemplateValues {
    // Figures always show their change since the period before.
    let choices =
      [("", "Period before"), (ReportComparison.periodBefore.text, "Period before, charts too")]
      + ReportComparison.choices(segments).dropFirst(2)
    return .choice(
      "Compare with", "compare", choices.map { (value: $0.0, text: $0.1) }, chosen: chosen?.text ?? "")
  }

  private func name(_ segment: Int64) -> String {
    segments.first { $0.id == segment }.map { shown($0.name) } ?? "segment \(segment)"
  }

  private func summary(_ request: ReportRequest, _ rows: FilterRows) -> String {
    let segment = request.filter.segment.map { name($0) }
    let comparison: String? =
      switch request.comparison {
      case .periodBefore: "compared with the period before"
      case .segment(let number): "compared with \(name(number))"
      case nil: nil
      }
    let words = rows.rows.map { row in
      let comparison = FilterRow.comparisons.first { $0.0 == row.comparison }?.1 ?? row.comparison
      return [row.dimension, comparison, row.value].filter { !$0.isEmpty }.map { shown($0) }.joined(separator: " ")
    }
    let all =
      words + (rows.others.isEmpty ? [] : [counted(rows.others.count, "other filter")])
      + [segment, comparison].compactMap { $0 }
    return all.isEmpty ? "Filter" : "Filter: \(all.joined(separator: ", "))"
  }
}

extension FilterRows {
  /// The fields of the rows in use, and of an empty one.
  var fields: [TemplateValues] {
    let empty = FilterRow(dimension: "", comparison: "is", value: "")
    let all = (rows + [empty]).prefix(FilterRow.numbers.count)
    return zip(FilterRow.numbers, all).map { number, row in
      [
        "fields": [
          .input("Filter", "f\(number)", row.dimension, placeholder: "country", suggestions: "dimensions"),
          .choice(
            "Comparison", "o\(number)", FilterRow.comparisons.map { (value: $0.0, text: $0.1) }, chosen: row.comparison),
          .input("Value", "v\(number)", row.value),
        ] as [TemplateValues]
      ]
    }
  }
}

extension TemplateValues {
  /// A field of a form with text.
  static func input(
    _ label: String, _ name: String, _ value: String, type: String = "text", placeholder: String? = nil,
    suggestions: String? = nil
  ) -> TemplateValues {
    [
      "caption": label, "name": name, "value": value, "type": type, "placeholder": placeholder, "isInput": true,
      "suggestions": suggestions,
    ]
  }
}
