import Ingest
import Questions
import Reports
import ServerBase
import Warehouse

extension PageVisit {
  /// The form that filters a report; `nil` for reports about all rows.
  func filterBar(_ request: ReportRequest) -> Builder? {
    guard !reader.isGuest, request.isFilterable else { return nil }
    let links = PortalLinks(request)
    var kept = request.report.parameters.compactMap { parameter in
      request[parameter].map { TemplateValues.hidden(parameter.name, $0) }
    }
    kept += URLEncodedForm(links.range).values.sorted { $0.key < $1.key }.map { .hidden($0.key, $0.value) }
    return Builder(
      action: PortalLinks(app: request.app).page(request.report), links: links, hidden: kept,
      sentence: request.report.showsChanges ? [comparisonField(request.comparison)] : [],
      filters: FilterRows(json: request.filter.json), segment: segmentField(request.filter.segment?.description),
      faults: request.faults(segments).merging(hints(request.filter)) { fault, _ in fault },
      saving: reader.canEdit ? links.page(.segments) : nil
    ) { filters in
      var links = links
      links.filter.json = filters.json
      return links.page(request)
    }
  }

  /// The mistakes in a report's filters that hide no figures: values that no row has ever had.
  func hints(_ filter: ReportFilter) -> [String: String] {
    words(of: FilterRows(json: filter.json).rows.namedFields)
  }

  /// A warning that days before the kept rows are empty; `nil` if the page has no filter or the app keeps all rows.
  func keepingNotice(_ request: ReportRequest, _ app: App) -> String? {
    guard !request.filter.isEmpty, request.isFilterable, let keeping = app.keeping else { return nil }
    return "Filtered pages count rows, which this app keeps for \(keeping.words): earlier days are empty or incomplete."
  }

  /// The reason why a page shows more than its filter asks for; `nil` if it does not.
  func unfilteredNotice(_ request: ReportRequest) -> String? {
    guard !request.filter.isEmpty, case .allRows(let reason) = request.report.filtering else { return nil }
    return reason
  }

  /// The filters in words, for guests, who have no form.
  func filterWords(_ request: ReportRequest) -> [String] {
    request.isFilterable ? filterWords(FilterRows(json: request.filter.json), segment: request.filter.segment) : []
  }

  /// The filters and the segment in words.
  func filterWords(_ filters: FilterRows, segment: Int64?) -> [String] {
    filters.words + [segment.map(segments.name(of:))].compactMap { $0 }
  }

  /// The segment of a page; `nil` if the app has none.
  func segmentField(_ chosen: String?) -> BuilderField? {
    guard !segments.isEmpty || chosen != nil else { return nil }
    var options = [(value: "", text: "everyone")]
    options += segments.map { (value: $0.id.description, text: shown($0.name)) }
    if let chosen, !options.contains(where: { $0.value == chosen }) {
      options.append((chosen, "segment \(shown(chosen))"))
    }
    return BuilderField(word: "among", label: "Segment", name: "segment", value: chosen ?? "", options: options)
  }

  private func comparisonField(_ chosen: ReportComparison?) -> BuilderField {
    // Figures always show their change since the previous period.
    BuilderField(
      word: "compared with", label: "Comparison", name: "compare", value: chosen?.text ?? "",
      options: [
        ("", "the previous period"), (ReportComparison.periodBefore.text, "the previous period, also in charts"),
      ] + segments.map { (ReportComparison.segment($0.id).text, "the segment \(shown($0.name))") })
  }

  /// A form as HTML.
  func html(_ builder: Builder) -> String { templates.render("builder", builder.values) }
}
