package import HTTPTypes
import Hummingbird
import Ingest
import Logging
import NIOCore
import Portal
package import ServerBase
import ServiceLifecycle
import SignOn
import TernEvents
import Threads
package import Warehouse

/// The routes and their middleware, independent of a socket.
struct CollectorApplication: Sendable {
  /// The routes.
  let responder: RouterResponder<CollectorContext>
  /// All routes, with the right that each requires.
  let requirements: [RouteTable.Route: Endpoint.Requirement]
  /// What all endpoints for programs do.
  let description: APIDescription
  /// Wakes the live streams; must run alongside the server.
  let live: LiveHub
  /// Aborts stalled request bodies; must run alongside the server.
  let gate: AdmissionGate

  /// The addresses to which apps send events.
  static let ingestionPaths = Set([NativeProtocol.path, AppCenterEndpoints.path] + MeasurementEndpoints.paths)

  /// Limits what apps and clients send; must run alongside the server.
  let usage: UsageGate

  /// Connects all parts.
  ///
  /// - Parameters:
  ///   - dependencies: The collector's dependencies.
  ///   - pages: The portal's pages.
  ///   - settings: Limits and policies.
  ///   - identity: The certificate with which the server identifies itself; `nil` without TLS.
  init(
    dependencies: CollectorDependencies, pages: PortalPages, settings: CollectorSettings,
    identity: (any TLSIdentity)? = nil
  ) {
    let limits = settings.limits
    let metrics = CollectorMetrics()
    gate = AdmissionGate(limits)
    live = LiveHub(heartbeat: settings.heartbeat)
    usage = UsageGate(dependencies, addressLimits: settings.addressLimits)
    let reader = BodyReader(gate: gate, limits: limits, metrics: metrics)
    let site = Site(
      pages: pages.shown(dependencies, usage), reader: reader,
      access: Access(
        store: dependencies.catalog, catalog: dependencies.catalog, maximumFailedLogins: limits.maximumFailedLogins,
        uptime: dependencies.uptime),
      catalog: dependencies.catalog, store: dependencies.store,
      reports: ReportScheduler(
        FairQueueLimits(running: limits.maximumConcurrentReports), limits, dependencies,
        executor: dependencies.reportExecutor),
      answering: QuestionAnswering(dependencies, limits: limits), wallTime: dependencies.wallTime)
    let routes = RouteTable(
      access: site.access, pages: site.pages,
      recorder: dependencies.requestJournal.map { RequestRecorder(journal: $0, key: dependencies.duplicateKey) })
    let root = EndpointGroup(
      routes: routes, reader: reader, catalog: site.catalog, path: "", requirement: .nothing)
    let ingestion = Ingestion(dependencies, reader: reader, live: live, usage: usage)
    Self.addProtocols(to: root, ingestion, settings)
    HealthEndpoints(
      ingestion: ingestion, hasPublicMetrics: settings.hasPublicMetrics, problems: dependencies.problems
    ) { [usage] in
      CollectorGauges(
        reports: site.reports.load, questions: site.answering.load, recentAnswers: site.answering.recentAnswers,
        droppedLogLines: dependencies.accessLog?.droppedLines, certificateExpiry: identity?.expiry,
        storage: dependencies.storage(), cluster: dependencies.cluster?(), refused: usage.counts,
        problems: dependencies.problems().count)
    }.add(to: root)
    Self.addEndpoints(to: root.group("/api/v1", .login), site, dependencies, usage)
    AppCenterReportEndpoints(reports: site.reports, store: site.store, wallTime: site.wallTime).add(to: routes)
    Self.addPages(to: routes, site, dependencies, settings, live)
    description = DescriptionEndpoint.add(to: root)
    requirements = routes.requirements

    let router = Router(context: CollectorContext.self)
    router.add(
      middleware: ForwardedClients(
        proxies: TrustedProxies(settings.trustedProxies), hasTLS: identity != nil, loginHeader: settings.loginHeader))
    if let log = dependencies.accessLog {
      router.add(middleware: AccessLogging(log: log, wallTime: site.wallTime, uptime: dependencies.uptime))
    }
    router.add(middleware: SecurityHeaders())
    router.add(middleware: ErrorMiddleware(metrics: metrics, uptime: dependencies.uptime, pages: site.pages))
    routes.install(on: router)
    responder = router.buildResponder()
  }

  /// Adds what apps send.
  private static func addProtocols(to root: EndpointGroup, _ ingestion: Ingestion, _ settings: CollectorSettings) {
    NativeEndpoints(ingestion: ingestion, tokens: root.catalog, limits: settings.native).add(to: root)
    AppCenterEndpoints(ingestion: ingestion, limits: settings.appCenter, unknownSecret: settings.unknownSecret)
      .add(to: root)
    MeasurementEndpoints(ingestion: ingestion, limits: settings.measurement).add(to: root)
    MeasurementDebugEndpoints(ingestion: ingestion, limits: settings.measurement).add(to: root)
  }

  /// Adds what programs ask and change.
  private static func addEndpoints(
    to api: EndpointGroup, _ site: Site, _ dependencies: CollectorDependencies, _ usage: UsageGate
  ) {
    let (catalog, reports, wallTime, server) = (site.catalog, site.reports, site.wallTime, site.pages.collector)
    ReportEndpoints(
      reports: reports, store: site.store, catalog: catalog, answering: site.answering, wallTime: wallTime
    ).add(to: api)
    QuestionEndpoints(reader: site.reader, answering: site.answering, catalog: catalog).add(to: api)
    TrailEndpoints(reports: reports, source: dependencies.questions).add(to: api)
    PersonEndpoints(reports: reports, source: dependencies.questions, catalog: catalog).add(to: api)
    ErrorStatusEndpoints(reports: reports, store: site.store, catalog: catalog, wallTime: wallTime).add(to: api)
    AppEndpoints(catalog: catalog).add(to: api)
    ViewEndpoints(catalog: catalog, wallTime: wallTime).add(to: api)
    LimitEndpoints(catalog: catalog, usage: usage).add(to: api)
    DefinitionEndpoints(catalog: catalog).add(to: api)
    SegmentEndpoints(catalog: catalog).add(to: api)
    DashboardEndpoints(pages: site.pages, catalog: catalog).add(to: api)
    AlertEndpoints(catalog: catalog, wallTime: wallTime).add(to: api)
    MailReportEndpoints(catalog: catalog).add(to: api)
    LinkEndpoints(catalog: catalog, server: server, wallTime: wallTime).add(to: api)
    UserEndpoints(catalog: catalog, server: server).add(to: api)
    SessionEndpoints(catalog: catalog).add(to: api)
    TokenEndpoints(catalog: catalog).add(to: api)
    AuditEndpoints(catalog: catalog, wallTime: wallTime).add(to: api)
    JobEndpoints(catalog: catalog).add(to: api)
    BackupEndpoints(control: dependencies.backups, reports: reports).add(to: api)
    if let symbols = dependencies.symbols {
      SymbolEndpoints(catalog: symbols.catalog, store: symbols.store).add(to: api)
    }
    if let exporter = dependencies.exporter {
      ExportEndpoints(
        exporter: exporter, catalog: catalog, reports: reports, server: dependencies.duplicateKey.fingerprint
      ).add(to: api)
    }
    StorageEndpoints(site, dependencies)?.add(to: api)
  }

  /// Adds the portal.
  private static func addPages(
    to routes: RouteTable, _ site: Site, _ dependencies: CollectorDependencies, _ settings: CollectorSettings,
    _ live: LiveHub
  ) {
    let signOn = SignOnPages(site: site, portalAddress: settings.portalAddress, dependencies)
    signOn.add(to: routes)
    LoginPages(site: site, signOn: signOn).add(to: routes)
    AccountPages(site: site).add(to: routes)
    ReportPages(site: site, live: live, limits: settings.limits).add(to: routes)
    QuestionPages(site: site).add(to: routes)
    TrailPages(
      site: site,
      persons: PersonEndpoints(reports: site.reports, source: dependencies.questions, catalog: site.catalog),
      trails: TrailEndpoints(reports: site.reports, source: dependencies.questions)
    ).add(to: routes)
    DashboardPages(site: site).add(to: routes)
    SharedPages(site: site).add(to: routes)
    ErrorStatusPages(
      site: site,
      endpoints: ErrorStatusEndpoints(
        reports: site.reports, store: site.store, catalog: site.catalog, wallTime: site.wallTime)
    ).add(to: routes)
    AlertPages(site: site).add(to: routes)
    MailReportPages(site: site).add(to: routes)
    SegmentPages(site: site).add(to: routes)
    AnnotationPages(site: site).add(to: routes)
    ViewPages(site: site).add(to: routes)
    AppSettingsPages(site: site).add(to: routes)
    AdminPages(site: site, cluster: dependencies.cluster).add(to: routes)
    if let storage = StorageEndpoints(site, dependencies) {
      StoragePages(site: site, endpoints: storage).add(to: routes)
    }
  }
}

extension StorageEndpoints {
  /// `nil` if the store's rows can't be counted.
  fileprivate init?(_ site: Site, _ dependencies: CollectorDependencies) {
    guard let usage = dependencies.usage else { return nil }
    self.init(
      reports: site.reports, catalog: site.catalog, usage: usage, storage: dependencies.storage,
      wallTime: site.wallTime)
  }
}

extension PortalPages {
  /// The pages with what the server says about itself.
  fileprivate func shown(_ dependencies: CollectorDependencies, _ usage: UsageGate) -> PortalPages {
    var pages = self
    pages.problems = dependencies.problems
    pages.hasCluster = dependencies.cluster != nil
    pages.providers = dependencies.providers.map { ($0.settings.name, SignOnPages.path($0.settings.id)) }
    pages.refusals = { [usage] app in usage.refusals(of: app).map(\.text) }
    // A catalog that can't be read says so elsewhere.
    pages.zoneChange = { [catalog = dependencies.catalog] app in (try? catalog.zoneChange(of: app)) ?? nil }
    return pages
  }
}

/// Limits and policies of a collector.
public struct CollectorSettings: Sendable {
  /// The settings by default: clients with unknown secrets retry later, and no proxy is trusted.
  public static let standard = CollectorSettings()

  /// The limits on clients.
  var limits = CollectorLimits()
  /// The limits on native requests.
  var native = IngestLimits.native
  /// The limits on App Center requests.
  var appCenter = IngestLimits.appCenter
  /// The limits on Measurement Protocol requests.
  var measurement = IngestLimits.measurement
  /// The response to App Center clients with an unknown secret.
  var unknownSecret = UnknownSecretPolicy.retryLater
  /// The proxies trusted to name the client in `X-Forwarded-For`.
  var trustedProxies: [AddressBlock] = []
  /// The header in which trusted proxies name the person whom they have logged in; `nil` to ignore all.
  var loginHeader: HTTPField.Name?
  /// The address of the portal that the operator has set; `nil` for the one that each request names.
  var portalAddress: String?
  /// True if `/metrics` needs no login.
  var hasPublicMetrics = false
  /// The limits of each client address.
  var addressLimits = UsageLimits.address
  /// The interval between heartbeats on silent live streams.
  var heartbeat = Duration.seconds(15)
}

extension CollectorSettings {
  /// Creates settings with the policies that operators choose.
  package init(
    unknownSecret: UnknownSecretPolicy, trustedProxies: [AddressBlock], hasPublicMetrics: Bool,
    addressLimits: UsageLimits, maximumEventAge: Duration, loginHeader: HTTPField.Name? = nil,
    portalAddress: String? = nil
  ) {
    self.init()
    native.maximumAge = min(native.maximumAge, maximumEventAge)
    appCenter.maximumAge = min(appCenter.maximumAge, maximumEventAge)
    measurement.maximumAge = min(measurement.maximumAge, maximumEventAge)
    self.unknownSecret = unknownSecret
    self.trustedProxies = trustedProxies
    self.hasPublicMetrics = hasPublicMetrics
    self.addressLimits = addressLimits
    (self.loginHeader, self.portalAddress) = (loginHeader, portalAddress)
  }
}
