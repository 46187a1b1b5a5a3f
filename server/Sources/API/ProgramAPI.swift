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
    ).add(to: api.tagged(.reports))
    QuestionEndpoints(reader: reader, answering: data.answering, catalog: catalog).add(to: api.tagged(.questions))
    TrailEndpoints(persons: data.persons).add(to: api.tagged(.persons))
    if let exporter {
      ExportEndpoints(exporter: exporter, catalog: catalog, reports: reports, server: exportFingerprint)
        .add(to: api.tagged(.rows))
    }
    if let reading = data.storage { StorageEndpoints(reading: reading).add(to: api.tagged(.server)) }
  }

  private func addManagement(to api: EndpointGroup) {
    let (catalog, wallTime) = (data.catalog, data.clocks.wallTime)
    PersonEndpoints(persons: data.persons).add(to: api.tagged(.persons))
    ErrorStatusEndpoints(errors: data.errors).add(to: api.tagged(.errors))
    ErrorDecisionEndpoints(catalog: catalog, decisions: data.errorGroups).add(to: api.tagged(.errors))
    AppEndpoints(catalog: catalog).add(to: api.tagged(.apps))
    ViewEndpoints(catalog: catalog, wallTime: wallTime).add(to: api.tagged(.views))
    LimitEndpoints(catalog: catalog, refusals: refusals).add(to: api.tagged(.apps))
    DefinitionEndpoints(catalog: catalog).add(to: api.tagged(.definitions))
    SegmentEndpoints(catalog: catalog).add(to: api.tagged(.segments))
    DashboardEndpoints(catalog: catalog).add(to: api.tagged(.dashboards))
    AnnotationEndpoints(catalog: catalog).add(to: api.tagged(.annotations))
    AlertEndpoints(catalog: catalog, wallTime: wallTime).add(to: api.tagged(.alerts))
    MailReportEndpoints(catalog: catalog).add(to: api.tagged(.mailReports))
    LinkEndpoints(catalog: catalog, server: address, wallTime: wallTime).add(to: api.tagged(.links))
    UserEndpoints(catalog: catalog, server: address).add(to: api.tagged(.users))
    SessionEndpoints(catalog: catalog).add(to: api.tagged(.sessions))
    TokenEndpoints(catalog: catalog).add(to: api.tagged(.tokens))
    AuditEndpoints(catalog: catalog, wallTime: wallTime).add(to: api.tagged(.audit))
    JobEndpoints(catalog: catalog).add(to: api.tagged(.jobs))
    BackupEndpoints(control: backups, reports: data.reports).add(to: api.tagged(.backups))
    if let symbols { SymbolEndpoints(catalog: symbols.catalog, store: symbols.store).add(to: api.tagged(.symbols)) }
  }
}
