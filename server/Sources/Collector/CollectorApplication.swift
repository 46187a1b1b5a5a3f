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
  /// Wakes the live streams; must run alongside the server.
  let live: LiveHub
  /// Aborts stalled request bodies; must run alongside the server.
  let gate: AdmissionGate

  /// The addresses to which apps send events.
  static let ingestionPaths = Set([NativeProtocol.path, AppCenterRoutes.path] + MeasurementRoutes.paths)

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
    let reader = BodyReader(gate: gate, limits: limits, metrics: metrics)
    live = LiveHub(heartbeat: settings.heartbeat)
    usage = UsageGate(dependencies, addressLimits: settings.addressLimits)
    let ingestion = Ingestion(dependencies, reader: reader, live: live, usage: usage)
    let reports = ReportScheduler(
      FairQueueLimits(running: limits.maximumConcurrentReports), limits, dependencies,
      executor: dependencies.reportExecutor)
    let access = Access(
      store: dependencies.catalog, catalog: dependencies.catalog, maximumFailedLogins: limits.maximumFailedLogins,
      uptime: dependencies.uptime)

    var pages = pages
    pages.problems = dependencies.problems
    pages.hasCluster = dependencies.cluster != nil
    pages.providers = dependencies.providers.map { ($0.settings.name, SignOnRoutes.path($0.settings.id)) }
    pages.refusals = { [usage] app in usage.refusals(of: app).map(\.text) }
    // A catalog that can't be read says so elsewhere.
    pages.zoneChange = { [catalog = dependencies.catalog] app in (try? catalog.zoneChange(of: app)) ?? nil }
    let router = Router(context: CollectorContext.self)
    let (store, catalog, wallTime) = (dependencies.store, dependencies.catalog, dependencies.wallTime)
    router.add(
      middleware: ForwardedClients(
        proxies: TrustedProxies(settings.trustedProxies), hasTLS: identity != nil, loginHeader: settings.loginHeader))
    if let log = dependencies.accessLog {
      router.add(middleware: AccessLogging(log: log, wallTime: wallTime, uptime: dependencies.uptime))
    }
    router.add(middleware: SecurityHeaders())
    router.add(middleware: ErrorMiddleware(metrics: metrics, uptime: dependencies.uptime, pages: pages))
    let routes = RouteTable(
      router: router, access: access, pages: pages,
      recorder: dependencies.requestJournal.map { RequestRecorder(journal: $0, key: dependencies.duplicateKey) })
    NativeRoutes(ingestion: ingestion, tokens: catalog, limits: settings.native).add(to: routes)
    AppCenterRoutes(ingestion: ingestion, limits: settings.appCenter, unknownSecret: settings.unknownSecret)
      .add(to: routes)
    MeasurementRoutes(ingestion: ingestion, limits: settings.measurement).add(to: routes)
    MeasurementDebugRoutes(ingestion: ingestion, limits: settings.measurement).add(to: routes)
    DescriptionRoutes().add(to: routes)
    let answering = QuestionAnswering(dependencies, limits: limits)
    let usage = usage
    HealthRoutes(
      ingestion: ingestion, hasPublicMetrics: settings.hasPublicMetrics, problems: dependencies.problems
    ) {
      CollectorGauges(
        reports: reports.load, questions: answering.load, recentAnswers: answering.recentAnswers,
        droppedLogLines: dependencies.accessLog?.droppedLines, certificateExpiry: identity?.expiry,
        storage: dependencies.storage(), cluster: dependencies.cluster?(), refused: usage.counts,
        problems: dependencies.problems().count)
    }.add(to: routes)
    ReportRoutes(
      reader: reader, reports: reports, store: store, catalog: catalog, answering: answering,
      wallTime: wallTime
    ).add(to: routes)
    EditingRoutes(reader: reader, catalog: catalog, wallTime: wallTime).add(to: routes)
    LimitRoutes(reader: reader, catalog: catalog, usage: usage).add(to: routes)
    DefinitionAPIRoutes(reader: reader, catalog: catalog).add(to: routes)
    LinkAPIRoutes(reader: reader, catalog: catalog, server: pages.collector, wallTime: wallTime).add(to: routes)
    UserAPIRoutes(reader: reader, catalog: catalog, server: pages.collector).add(to: routes)
    SessionAPIRoutes(catalog: catalog).add(to: routes)
    TokenAPIRoutes(reader: reader, catalog: catalog).add(to: routes)
    AuditAPIRoutes(catalog: catalog, wallTime: wallTime).add(to: routes)
    JobAPIRoutes(catalog: catalog).add(to: routes)
    BackupAPIRoutes(control: dependencies.backups, reports: reports).add(to: routes)
    ErrorStatusRoutes(reader: reader, reports: reports, store: store, catalog: catalog, wallTime: wallTime)
      .add(to: routes)
    if let symbols = dependencies.symbols {
      SymbolRoutes(catalog: symbols.catalog, store: symbols.store).add(to: routes)
    }
    ViewRoutes(catalog: catalog, pages: pages, reader: reader).add(to: routes)
    let persons = PersonRoutes(reports: reports, source: dependencies.questions, catalog: catalog)
    QuestionRoutes(reader: reader, answering: answering, catalog: catalog, persons: persons).add(to: routes)
    SegmentPageRoutes(pages: pages, reader: reader, catalog: catalog).add(to: routes)
    SegmentRoutes(reader: reader, catalog: catalog).add(to: routes)
    let notes = ChartNotes(catalog: catalog, store: store, reports: reports)
    QuestionPageRoutes(
      pages: pages, answering: answering, store: store, catalog: catalog, notes: notes, wallTime: wallTime
    ).add(to: routes)
    DashboardRoutes(
      pages: pages, reader: reader, answering: answering, catalog: catalog, notes: notes, wallTime: wallTime
    ).add(to: routes)
    DashboardAPIRoutes(pages: pages, reader: reader, catalog: catalog).add(to: routes)
    AlertPageRoutes(pages: pages, reader: reader, catalog: catalog, wallTime: wallTime).add(to: routes)
    AlertAPIRoutes(reader: reader, catalog: catalog, wallTime: wallTime).add(to: routes)
    MailReportPageRoutes(pages: pages, reader: reader, catalog: catalog).add(to: routes)
    MailReportAPIRoutes(reader: reader, catalog: catalog).add(to: routes)
    AnnotationRoutes(
      pages: pages, reader: reader, reports: reports, store: store, catalog: catalog,
      wallTime: wallTime
    ).add(to: routes)
    TrailRoutes(
      pages: pages, reader: reader, reports: reports, source: dependencies.questions, catalog: catalog,
      persons: persons
    ).add(to: routes)
    if let exporter = dependencies.exporter {
      ExportRoutes(
        exporter: exporter, catalog: catalog, reports: reports, server: dependencies.duplicateKey.fingerprint
      ).add(to: routes)
    }
    AppCenterReportRoutes(reports: reports, store: store, wallTime: wallTime).add(to: routes)
    let signOn = SignOnRoutes(access: access, pages: pages, portalAddress: settings.portalAddress, dependencies)
    signOn.add(to: routes)
    LoginRoutes(access: access, pages: pages, reader: reader, signOn: signOn).add(to: routes)
    AccountRoutes(access: access, pages: pages, reader: reader).add(to: routes)
    AdminRoutes(
      catalog: catalog, pages: pages, reader: reader, wallTime: wallTime, cluster: dependencies.cluster
    ).add(to: routes)
    if let usage = dependencies.usage {
      StorageRoutes(
        pages: pages, reports: reports, catalog: catalog, usage: usage, storage: dependencies.storage,
        wallTime: wallTime
      ).add(to: routes)
    }
    SharedRoutes(
      catalog: catalog, pages: pages, reader: reader, reports: reports, store: store,
      answering: answering, wallTime: wallTime
    ).add(to: routes)
    AppSettingsRoutes(pages: pages, reader: reader, reports: reports, store: store, catalog: catalog).add(to: routes)
    PortalRoutes(
      pages: pages, reader: reader, reports: reports, store: store, catalog: catalog, live: live, notes: notes,
      answering: answering, limits: limits, wallTime: wallTime
    ).add(to: routes)
    responder = router.buildResponder()
    requirements = routes.requirements
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
