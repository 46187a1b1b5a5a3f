import Questions
import Reports
import TernBase
import Warehouse

extension EventPage {
  /// The properties of an event that get statistics and a histogram.
  private static let distributions = 6

  /// The panels of an event's properties: numbers with their distribution, texts with their most frequent values.
  func properties(of event: EventMetrics, _ page: ReportVisit) async throws -> [TemplateValues] {
    let numeric = event.properties.indices.filter { event.properties[$0].isNumeric }.prefix(Self.distributions)
    var page = page
    page.ask = await page.ask.asyncMap { ask in
      guard let scope = try? scope(of: event, page) else { return ask }
      return await PropertyDistribution.preparing(
        numeric.map { (event.properties[$0].property, event.properties[$0].isWhole) }, in: scope, ask)
    }
    var panels: [TemplateValues] = []
    for (index, property) in event.properties.enumerated() {
      let distribution =
        numeric.contains(index) ? try await distribution(of: property, event, number: index, page) : nil
      panels.append([
        "heading": shown(property.property), "unit": times(property.count), "distribution": distribution,
        "isFrequent": !property.frequent.isEmpty,
        "scattered": property.frequent.isEmpty && !property.values.isEmpty
          ? "No value is frequent: each is less than 0.1 % of all." : nil,
        "bars": property.frequent.map {
          TemplateValues.bar(
            shown($0.key, empty: "(empty)"), $0.count, property.share(of: $0),
            filter: $0.key.isEmpty ? nil : visit.filterLink(page.request, "property:\(property.property)", $0.key),
            people: $0.key.isEmpty || event.name.isEmpty
              ? nil
              : visit.people(
                page.request,
                [FilterRow("event", value: event.name), FilterRow("property:\(property.property)", value: $0.key)]))
        }, "note": property.isCapped ? "There are too many different values; rare ones are counted together." : "",
        "allValues": property.values.count == page.request.limit
          ? PortalLinks(app: page.request.app).question(
            .explore, explored(property.property, of: event.name, page.request).query()) : nil,
      ])
    }
    return panels
  }

  private func distribution(
    of property: PropertyTotals, _ event: EventMetrics, number: Int, _ page: ReportVisit
  ) async throws -> TemplateValues? {
    guard let ask = page.ask else { return nil }
    do {
      guard
        let found = try await PropertyDistribution(
          property.property, in: try scope(of: event, page), isWhole: property.isWhole, ask)
      else { return nil }
      let chart = found.chart("property\(number)", shown(property.property, limit: 60))
      return [
        "statistics": found.statistics.map {
          ["term": $0.name, "figure": ChartFormat.number.text($0.value)] as TemplateValues
        }, "histogram": chart.map { $0.html() + visit.table($0, isNewestFirst: false) },
      ]
    } catch let error as QuestionError {
      return ["message": "No statistics: \(visible(error.message))"]
    }
  }

  /// The rows of an event, over the page's days and with its filter.
  private func scope(of event: EventMetrics, _ page: ReportVisit) throws(QuestionError) -> QuestionScope {
    QuestionScope(
      range: .dates(page.request.days.lowerBound, page.request.days.upperBound),
      filters: try page.request.filter.filters(visit.segments) + [.isOneOf(.event, [.text(event.name)])])
  }

  /// The form of Explore for the values of a property, over the page's days and with its filter.
  private func explored(_ property: String, of event: String, _ request: ReportRequest) -> QuestionForm {
    var values = [
      "from": request.days.lowerBound.description, "to": request.days.upperBound.description, "metric": "events",
      "event": event, "by": "property:\(property)",
    ]
    if !request.filter.json.isEmpty { values["filters"] = request.filter.json }
    request.filter.segment.map { values["segment"] = $0.description }
    return QuestionForm(.explore, values, segments: visit.segments)
  }
}

extension PropertyTotals {
  /// The values with a share that can be seen; nearly unique ones say nothing.
  fileprivate var frequent: [KeyTotals] { values.filter { share(of: $0) >= 0.001 } }

  /// True if the most frequent values are numbers, and not all the same.
  fileprivate var isNumeric: Bool {
    values.count > 1 && values.allSatisfy { Double($0.key).map(\.isFinite) ?? false }
  }

  /// True if the most frequent values are whole numbers.
  fileprivate var isWhole: Bool { values.allSatisfy { Int($0.key) != nil } }
}
