import Ingest
package import Warehouse

/// A store whose errors have functions and lines in their traces where there are symbols.
package struct SymbolicatedStore: ForwardingStore {
  package let base: any MetricsStore
  let symbolicator: any StackSymbolicator

  /// Creates a store that answers as another one does, but for the traces of errors.
  package init(_ base: any MetricsStore, symbolicator: any StackSymbolicator) {
    (self.base, self.symbolicator) = (base, symbolicator)
  }

  package func error(app: AppID, id: Int64) async throws -> ErrorDetail? {
    guard var detail = try await base.error(app: app, id: id) else { return nil }
    (detail.trace.appBuild, detail.trace.type) = (detail.occurrence.device.appBuildName, detail.type)
    (detail.trace, detail.symbolProblem) = await symbolicator.symbolicated(detail.trace, app: app)
    detail.type = detail.trace.type
    return detail
  }
}

extension ErrorDetail {
  /// The stack with functions and lines where there are symbols; otherwise as it was sent.
  package var shownStack: String {
    let lines = trace.hasSymbols ? trace.lines.joined(separator: "\n") + "\n" : stack
    return symbolProblem.map { "\($0)\n\n\(lines)" } ?? lines
  }
}
