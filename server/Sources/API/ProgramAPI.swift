package import Answering
package import HTTP
import Portal
package import Symbols
package import Warehouse

/// The endpoints for programs: all below `/api`, and those of App Center's analytics API.
package struct ProgramAPI: Sendable {
  let data: ServerData
  /// The address of this server, for links.
  let address: String
  let reader: BodyReader
  /// The text that identifies this server in exports.
  let exportFingerprint: String
  /// Returns what was refused to an app within the last day.
  let refusals: @Sendable (AppID) -> [UsageRefusals]

  /// The regular backups; `nil` if the server makes none.
  package var backups: (any BackupControl)?
  /// The files with symbols, and the store that receives them; `nil` if symbols aren't supported.
  package var symbols: (catalog: any SymbolCatalog, store: SymbolStore)?
  /// The store from which rows can be taken out; `nil` if it can't export.
  package var exporter: (any EventExport)?

  package init(
    data: ServerData, address: String, reader: BodyReader, exportFingerprint: String,
    refusals: @escaping @Sendable (AppID) -> [UsageRefusals]
  ) {
    (self.data, self.address, self.reader) = (data, address, reader)
    (self.exportFingerprint, self.refusals) = (exportFingerprint, refusals)
  }

  /// Adds all endpoints, and finally the description of everything in `root`.
  ///
  /// - Returns: The description.
  package func add(to root: EndpointGroup) -> APIDescription {
    addReading(to: root.group("/api/v1", .login))
    addManagement(to: root.group("/api/v1", .login))
    AppCenterReportEndpoints(reports: data.reports, store: data.store, wallTime: data.clocks.wallTime)
      .add(to: root.routes)
    return DescriptionEndpoint.add(to: root)
  }

  private func addReading(to api: EndpointGroup) {
    let (catalog, reports, wallTime) = (data.catalog, data.reports, data.clocks.wallTime)
    ReportEndpoints(
      reports: reports, store: data.store, catalog: catalog, answering: data.answering, wallTime: wallTime
    ).add(to: api)
    QuestionEndpoints(reader: reader, answering: data.answering, catalog: catalog).add(to: api)
    TrailEndpoints(persons: data.persons).add(to: api)
    if let exporter {
      ExportEndpoints(exporter: exporter, catalog: catalog, reports: reports, server: exportFingerprint).add(to: api)
    }
    if let reading = data.storage { StorageEndpoints(reading: reading).add(to: api) }
  }

  private func addManagement(to api: EndpointGroup) {
    let (catalog, wallTime) = (data.catalog, data.clocks.wallTime)
    PersonEndpoints(persons: data.persons).add(to: api)
    ErrorStatusEndpoints(errors: data.errors).add(to: api)
    ErrorDecisionEndpoints(catalog: catalog, decisions: data.errorGroups).add(to: api)
    AppEndpoints(catalog: catalog).add(to: api)
    ViewEndpoints(catalog: catalog, wallTime: wallTime).add(to: api)
    LimitEndpoints(catalog: catalog, refusals: refusals).add(to: api)
    DefinitionEndpoints(catalog: catalog).add(to: api)
    SegmentEndpoints(catalog: catalog).add(to: api)
    DashboardEndpoints(catalog: catalog).add(to: api)
    AnnotationEndpoints(catalog: catalog).add(to: api)
    AlertEndpoints(catalog: catalog, wallTime: wallTime).add(to: api)
    MailReportEndpoints(catalog: catalog).add(to: api)
    LinkEndpoints(catalog: catalog, server: address, wallTime: wallTime).add(to: api)
    UserEndpoints(catalog: catalog, server: address).add(to: api)
    SessionEndpoints(catalog: catalog).add(to: api)
    TokenEndpoints(catalog: catalog).add(to: api)
    AuditEndpoints(catalog: catalog, wallTime: wallTime).add(to: api)
    JobEndpoints(catalog: catalog).add(to: api)
    BackupEndpoints(control: backups, reports: data.reports).add(to: api)
    if let symbols { SymbolEndpoints(catalog: symbols.catalog, store: symbols.store).add(to: api) }
  }
}
