import Ingest
import Questions
import Reports
import Warehouse

extension PageVisit {
  /// The address of the people behind a figure of a report's page, with the page's filter; `nil` for readers who may not
  /// see them, and for figures that no filter describes.
  ///
  /// - Parameters:
  ///   - rows: What the figure is about, in addition to the page's filter.
  ///   - days: The days of the figure; those of the page by default.
  ///   - error: The number of the error that the people had.
  func people(
    _ request: ReportRequest, _ rows: [FilterRow] = [], on days: ClosedRange<Day>? = nil, error: Int64? = nil
  ) -> String? {
    guard reader.seesPersonalData, request.view == nil else { return nil }
    var links = PortalLinks(request)
    if !request.isFilterable { links.filter = ReportFilter() }
    var filters = FilterRows(json: links.filter.json)
    filters.rows += rows.filter { !filters.rows.contains($0) }
    guard filters.rows.count <= FilterRow.numbers.count else { return nil }
    links.filter.json = filters.json
    if let days { links.range = "from=\(days.lowerBound)&to=\(days.upperBound)" }
    let group = error.map { AddressText.query([("group", "error"), ("error", String($0))]) }
    return links.question(.people, AddressText.joined([group, links.state(of: .people)]))
  }

  /// The address of the people behind the figure of a key of a list; `nil` where there is none.
  func people(_ request: ReportRequest, _ dimension: Dimension, _ key: String) -> String? {
    guard let name = Self.filterNames[dimension], key != Dimension.otherKey else { return nil }
    // Rows without a name of an event are those of all other kinds, too.
    if key.isEmpty, dimension == .event || dimension == .screen { return nil }
    return people(request, [FilterRow(name, value: key)])
  }

  /// A chart whose line of users leads to the users of each day.
  func linked(
    _ chart: Chart, _ line: String, _ days: [Day], _ request: ReportRequest, _ rows: [FilterRow] = [],
    error: Int64? = nil
  ) -> Chart {
    var chart = chart
    for index in chart.series.indices where chart.series[index].name == line && !chart.series[index].isCompared {
      chart.series[index].links = zip(days, chart.series[index].values).map { day, users in
        users == 0 ? nil : people(request, rows, on: day...day, error: error)
      }
    }
    return chart
  }

  /// The address of the persons behind a figure; `nil` for readers who may not see them.
  func people(_ form: QuestionForm, _ app: App, _ changes: KeyValuePairs<String, String?>) -> String? {
    people(form, app, changes.map { ($0.key, $0.value) })
  }

  /// The address of the persons behind a figure; `nil` for readers who may not see them.
  func people(_ form: QuestionForm, _ app: App, _ changes: [(String, String?)]) -> String? {
    reader.seesPersonalData ? PortalLinks(app: app.id).question(.people, form.peopleQuery(changes)) : nil
  }
}
