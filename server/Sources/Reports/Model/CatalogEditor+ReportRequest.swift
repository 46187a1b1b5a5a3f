package import Warehouse

extension CatalogEditor {
  /// Adds what the catalog knows: the states of errors to a request for a report about errors, and imported figures to
  /// one for the overview of a view.
  ///
  /// - Parameter isGuest: True for the reader of a shared link, who sees neither notes nor names.
  package func addingStoredFacts(to request: ReportRequest, isGuest: Bool = false) throws -> ReportRequest {
    if let view = request.view, request.report == ViewReports.overview {
      var request = request
      request.imported = try importedFigures(view: view.id, days: request.days)
      return request
    }
    guard [AppReports.errors, AppReports.error].contains(request.report), request.view == nil else { return request }
    var request = request
    request.errorStates = try errorStates(app: request.app).mapValues { state in
      var state = state
      if isGuest { (state.note, state.author) = ("", "") }
      return state
    }
    return request
  }
}
