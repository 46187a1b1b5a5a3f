package import Ingest
package import Questions
import TernEvents
package import Warehouse

/// Filters of single rows, as far as a row alone can answer them: the live page has no time to look at others.
package struct RowFilter: Sendable {
  /// The most recent rows among which those that pass are searched.
  package static let searchedRows = 2_000

  private let filters: [QuestionFilter]
  /// The filters that need more than a row, and that all rows pass.
  package let unanswered: [QuestionFilter]

  package init(_ filters: [QuestionFilter]) {
    self.filters = filters.filter(\.isAboutRow)
    unanswered = filters.filter { !$0.isAboutRow }
  }

  /// Returns true if a row passes all filters that it can answer.
  package func passes(_ row: StoredEvent) -> Bool { filters.allSatisfy { $0.passes(row) } }
}

extension ReportRequest {
  /// The filter of a report of single rows; throws a fault that names the JSON path.
  ///
  /// - Parameter segments: The app's saved segments.
  package func rowFilter(_ segments: [SavedSegment]) throws(QuestionError) -> RowFilter {
    RowFilter(try filter.filters(segments))
  }
}

/// A store whose latest rows are those that pass filters.
package struct FilteredRows: ForwardingStore {
  package let base: any MetricsStore
  private let filter: RowFilter

  package init(_ base: any MetricsStore, _ filter: RowFilter) { (self.base, self.filter) = (base, filter) }

  package func recent(app: AppID, kinds: Set<StoredKind>, limit: Int) async throws -> [StoredEvent] {
    let rows = try await base.recent(app: app, kinds: kinds, limit: RowFilter.searchedRows)
    return Array(rows.lazy.filter(filter.passes).prefix(limit))
  }
}

extension QuestionFilter {
  /// True if a row alone decides. It does not have the name of its install, and days are those of a time zone.
  fileprivate var isAboutRow: Bool {
    switch self {
    case .isOneOf(let dimension, _), .isNoneOf(let dimension, _), .contains(let dimension, _),
      .compare(_, let dimension, _), .isSet(let dimension), .isNotSet(let dimension):
      dimension != .install && dimension.timeUnit == nil
    case .all(let filters), .any(let filters): filters.allSatisfy(\.isAboutRow)
    case .not(let filter): filter.isAboutRow
    case .isError, .hasDone, .hasNotDone: false
    }
  }

  fileprivate func passes(_ row: StoredEvent) -> Bool {
    switch self {
    case .isOneOf(let dimension, let values): row.value(dimension).map { values.contains($0) } ?? false
    case .isNoneOf(let dimension, let values): row.value(dimension).map { !values.contains($0) } ?? true
    case .contains(let dimension, let texts):
      row.value(dimension)?.text.map { text in texts.contains { text.utf8.contains($0.text.utf8) } } ?? false
    case .compare(let comparison, let dimension, let limit):
      row.value(dimension)?.number.map { comparison.holds($0, limit) } ?? false
    case .isSet(let dimension): row.value(dimension) != nil
    case .isNotSet(let dimension): row.value(dimension) == nil
    case .all(let filters): filters.allSatisfy { $0.passes(row) }
    case .any(let filters): filters.contains { $0.passes(row) }
    case .not(let filter): !filter.passes(row)
    // These are never asked.
    case .isError, .hasDone, .hasNotDone: true
    }
  }
}

extension StoredEvent {
  /// The value of a dimension, as questions see it; `nil` for none, and for what the row doesn't have.
  fileprivate func value(_ dimension: QuestionDimension) -> QuestionValue? {
    func text(_ text: String) -> QuestionValue? { text.isEmpty ? nil : .text(text) }
    let labels = DeviceLabels(device)
    return switch dimension {
    case .event: kind == .event ? .text(name) : nil
    case .screen: kind == .screen ? .text(name) : nil
    case .kind: QuestionKind(kind).map { .text($0.rawValue) }
    case .version: text(labels.version)
    case .os: text(labels.system)
    case .model: text(device.model)
    case .country: text(dimension.canonical(device.country))
    case .language: text(dimension.canonical(labels.language))
    case .user: text(user)
    // Of several values of one name, the last one counts.
    case .property(let name): properties.last { $0.name.hasBytes(of: name.text) }.flatMap(\.value.questionValue)
    case .install, .time: nil
    }
  }
}

extension PropertyValue {
  fileprivate var questionValue: QuestionValue? {
    switch self {
    case .string(let text): .text(text)
    case .integer(let number): .number(Double(number))
    // 0 and −0 are one value.
    case .double(let number): number.isNaN ? nil : .number(number == 0 ? 0 : number)
    case .boolean(let flag): .text(flag ? "true" : "false")
    case .date(let time): .text(time.isoText)
    }
  }
}
