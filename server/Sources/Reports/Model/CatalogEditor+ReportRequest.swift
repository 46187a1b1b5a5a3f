package import Warehouse

extension CatalogEditor {
  /// Adds the stored facts that a report needs to a request.
  ///
  /// - Parameter isGuest: True for the reader of a shared link, who sees neither notes nor names.
  package func addingStoredFacts(to request: ReportRequest, isGuest: Bool = false) throws -> ReportRequest {
    var request = request
    switch request.report.storedFacts {
    case .importedFigures:
      if let view = request.view { request.imported = try importedFigures(view: view.id, days: request.days) }
    case .errorStates:
      request.errorStates = try errorStates(app: request.app).mapValues { state in
        var state = state
        if isGuest { (state.note, state.author) = ("", "") }
        return state
      }
    case nil: break
    }
    return request
  }
}
