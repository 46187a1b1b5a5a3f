import Ingest
import Questions
package import Reports
import ServerBase
package import Warehouse

extension PortalPages {
  /// The parameters of a report's address in which its filters are JSON, as the report takes them.
  package static func merged(_ parameters: [String: String]) -> [String: String] { FilterRows.merged(parameters) }

  /// The filter of a page, from the parameters of its address or the fields of its form.
  package static func filter(in parameters: [String: String]) -> ReportFilter {
    let merged = merged(parameters)
    return ReportFilter(json: merged["filters"] ?? "", segment: merged["segment"].flatMap { Int64($0) })
  }

  /// The short address of a report's page.
  package func address(_ request: ReportRequest) -> String { PortalLinks(request).page(request) }

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
      faults: faults(request).merging(hints(request.filter)) { fault, _ in fault },
      saving: reader.canEdit ? links.page(.segments) : nil
    ) { filters in
      var links = links
      links.filter.json = filters.json
      return links.page(request)
    }
  }

  /// The page of a report whose filter has mistakes: the form with the mistakes beside their fields, and no figures. `nil`
  /// if there are none, or none that the form can show.
  package func faultyReport(_ request: ReportRequest, app: App, apps: [App]) -> String? {
    guard fault(request) != nil else { return nil }
    return page(
      Shell(app: app, apps: apps, report: request.report, title: request.report.title, request: request), body: "")
  }

  /// A mistake in the filter of a report that its form can show; `nil` if there is none.
  package func fault(_ request: ReportRequest) -> String? {
    request.isFilterable ? faults(request).values.min() : nil
  }

  private func faults(_ request: ReportRequest) -> [String: String] {
    var faults = faults(request.filter)
    if request.report.showsChanges, case .segment(let segment) = request.comparison,
      !segments.contains(where: { $0.id == segment })
    {
      faults["compare"] = QuestionForm.missingSegment
    }
    return faults
  }

  /// The mistakes in a report's filters that hide no figures: values that no row has ever had.
  func hints(_ filter: ReportFilter) -> [String: String] {
    words(of: FilterRows(json: filter.json).rows.namedFields)
  }

  /// The mistakes in a filter, by the name of their field.
  func faults(_ filter: ReportFilter) -> [String: String] {
    var faults: [String: String] = [:]
    for (index, row) in FilterRows(json: filter.json).rows.enumerated() { faults["f\(index + 1)"] = row.fault }
    if let segment = filter.segment, !segments.contains(where: { $0.id == segment }) {
      faults["segment"] = QuestionForm.missingSegment
    }
    return faults
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
}

extension [SavedSegment] {
  /// The name of a segment; its number if it isn't among these.
  func name(of number: Int64) -> String {
    first { $0.id == number }.map { shown($0.name) } ?? "segment \(number)"
  }
}
