package import HTTP
import HTTPTypes
import Questions
package import Reports
package import Warehouse

extension QuestionAnswering {
  /// The metrics for a report: of the rows that pass its filter, if it has one.
  ///
  /// Throws ``APIError`` 400 for a filter that cannot be understood. Its reads throw the same errors as answers.
  package func metrics(
    for request: ReportRequest, from store: any MetricsStore, segments: [SavedSegment], _ context: CollectorContext,
    allowsRecent: Bool = false
  ) throws(APIError) -> any MetricsStore {
    guard !request.filter.isEmpty else { return store }
    if case .allRows = request.report.filtering {
      try checkAllowed(request.filter, segments, context)
      return store
    }
    let filters: [QuestionFilter]
    do {
      filters = try request.filter.filters(segments)
    } catch {
      throw APIError(error)
    }
    if case .latestRows = request.report.filtering { return FilteredRows(store, RowFilter(filters)) }
    let ask = QuestionAsker(together: { try await answers($0, context, allowsRecent: allowsRecent) }) { question in
      do {
        return try await answer(question, context, allowsRecent: allowsRecent)
      } catch let error as QuestionError {
        throw APIError(error)
      }
    }
    return FilteredMetrics(store, filters: filters, ask: ask) { scope in
      do {
        return try await errors(in: scope, context)
      } catch let error as QuestionError {
        throw APIError(error)
      }
    }
  }
}

extension QuestionAnswering {
  /// Throws ``APIError`` 403 for the filter of a page if it tells persons apart and the visitor may not read personal data,
  /// even if the page asks nothing yet. What is wrong with other filters is for the page to say.
  package func checkAllowed(
    _ filter: ReportFilter, _ segments: [SavedSegment], _ context: CollectorContext
  ) throws(APIError) {
    // The address's own filters count also if its segment is none that the reader may see.
    for filter in [filter, ReportFilter(json: filter.json)] {
      if let filters = try? filter.filters(segments) { try checkAllowed(filters, context) }
    }
  }

  /// Answers the questions of a page that asks what its reader has put together: with answers as they are now.
  package func forForm(_ context: CollectorContext) -> QuestionAsker {
    QuestionAsker(together: { try await answers($0, context) }) { question in
      try await answer(question, context)
    }
  }

  /// Answers the questions of a page. Refused ones throw `QuestionError`: a figure without an answer must not hide the rest
  /// of the page.
  package func forPage(_ context: CollectorContext) -> QuestionAsker {
    QuestionAsker(together: { try await answers($0, context, allowsRecent: true) }) { question in
      do {
        return try await answer(question, context, allowsRecent: true)
      } catch let error as APIError where error.status != .unauthorized {
        throw QuestionError(error.message, at: "$", code: .tooSlow)
      }
    }
  }
}
