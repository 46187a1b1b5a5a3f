import Answering
import HTTP
import HTTPTypes
import Hummingbird
package import Portal
import Questions
package import Reports
import ServerBase
package import Warehouse

extension Site {
  /// Makes the visit of a request: the reader with their rights, and the address of the server that they use.
  func visit(
    _ request: Request, _ context: CollectorContext, segments: [SavedSegment] = [], notes: [ChartNote] = [],
    unknownValues: [NamedValue: [String]] = [:], rangeMistake: RangeMistake? = nil
  ) throws -> PageVisit {
    let (visitor, app) = (try context.visitor, context.grant?.app?.id)
    let reader = PortalReader(
      name: visitor.name, canEdit: visitor.rights.allows(.edit, app: app),
      seesPersonalData: visitor.rights.allows(.readPersonalData, app: app),
      isOwner: visitor.rights.allows(.administer))
    return PageVisit(
      server, address: request.serverAddress, reader: reader, segments: segments, notes: notes,
      unknownValues: unknownValues, rangeMistake: rangeMistake,
      decimal: CSVStyle.Decimal(acceptLanguage: request.headers[.acceptLanguage] ?? ""))
  }
}

extension PortalServer: ErrorPages {
  package func error(status: Int, message: String?) -> String {
    ErrorPage(self, status: status, message: message).html()
  }

  package func error(_ error: ReportError, status: Int, app: AppID?) -> String {
    ErrorPage(self, error, status: status, app: app).html()
  }
}
