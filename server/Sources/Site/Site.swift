package import Answering
package import HTTP
package import Logging
package import Portal
import Reports
package import SignOn
import TernEvents
package import Warehouse

/// The forms of an app's settings that belong together.
protocol SettingsForms: Sendable {
  init(site: Site)

  func add(to routes: RouteTable)
}

/// The portal: what its pages are made with, and answered from.
package struct Site: Sendable {
  let server: PortalServer
  let reader: BodyReader
  let access: Access
  let data: ServerData

  package init(server: PortalServer, reader: BodyReader, access: Access, data: ServerData) {
    (self.server, self.reader, self.access, self.data) = (server, reader, access, data)
  }

  /// The forms of an app's settings; ``Portal/PageList`` has the pages.
  private static let settings: [any SettingsForms.Type] = [
    AppSettingsPages.self, SegmentPages.self, AnnotationPages.self, AlertPages.self, MailReportPages.self,
    SharedPages.self, ErrorGroupPages.self, LimitPages.self,
  ]

  var catalog: any CollectorCatalog { data.catalog }
  var store: any MetricsStore { data.store }
  var reports: ReportScheduler { data.reports }
  var answering: QuestionAnswering { data.answering }
  var wallTime: @Sendable () -> Timestamp { data.clocks.wallTime }
  var notes: ChartNotes { ChartNotes(catalog: catalog, store: store, reports: reports) }

  /// Adds all pages.
  ///
  /// - Parameters:
  ///   - providers: The providers with which people sign in.
  ///   - portalAddress: The portal's address as set by the operator; `nil` to take it from each request.
  ///   - logger: The operator's log; a request's own logger leaves out warnings.
  ///   - cluster: Returns how far the copy on a cluster is, or `nil` if that can't be read; `nil` if there is no copy.
  package func add(
    to routes: RouteTable, live: LiveHub, providers: [SignOnProvider], portalAddress: String?, logger: Logger,
    cluster: (@Sendable () -> ClusterStatus?)?
  ) {
    let signOn = SignOnPages(
      site: self, providers: providers, portalAddress: portalAddress, uptime: data.clocks.uptime, logger: logger)
    signOn.add(to: routes)
    LoginPages(site: self, signOn: signOn).add(to: routes)
    ConfirmPages(site: self).add(to: routes)
    AccountPages(site: self).add(to: routes)
    ReportPages(site: self, live: live, limits: reader.limits).add(to: routes)
    QuestionPages(site: self).add(to: routes)
    TrailPages(site: self).add(to: routes)
    DashboardPages(site: self).add(to: routes)
    ErrorStatusPages(site: self).add(to: routes)
    ViewPages(site: self).add(to: routes)
    add(PageList.app, to: routes)
    for forms in Self.settings { forms.init(site: self).add(to: routes) }
    AdminPages(site: self, cluster: cluster).add(to: routes)
    if let reading = data.storage { StoragePages(site: self, reading: reading).add(to: routes) }
  }
}
