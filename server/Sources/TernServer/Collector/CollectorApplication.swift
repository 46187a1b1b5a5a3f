import API
import Answering
import HTTP
import Hummingbird
import Ingest
import Ingestion
import Logging
import Portal
import ServerBase
import SignOn
import Site
import TernEvents
import Threads
import Warehouse

/// The routes and their middleware, independent of a socket.
struct CollectorApplication: Sendable {
  /// The routes.
  let responder: RouterResponder<CollectorContext>
  /// All routes, with the right that each requires.
  let requirements: [RouteTable.Route: Endpoint.Requirement]
  /// The description of all endpoints for programs.
  let description: APIDescription
  /// Wakes the live streams; must run alongside the server.
  let live: LiveHub
  /// Aborts stalled request bodies; must run alongside the server.
  let gate: AdmissionGate

  /// The paths that read no stored rows, and are asked for often.
  private static let unrecordedPaths = Ingestion.paths.union(["/healthz", "/readyz", "/assets/:name"])

  /// Limits what apps and clients send; must run alongside the server.
  let usage: UsageGate

  /// Connects all parts; throws if a template of the portal is damaged.
  ///
  /// - Parameters:
  ///   - dependencies: The collector's dependencies.
  ///   - address: The address of the server in sample code and links.
  ///   - settings: Limits and policies.
  ///   - identity: The certificate with which the server identifies itself; `nil` without TLS.
  init(
    dependencies: CollectorDependencies, address: String, settings: CollectorSettings,
    identity: (any TLSIdentity)? = nil
  ) throws {
    let (limits, catalog, clocks) = (settings.limits, dependencies.catalog, dependencies.clocks)
    let metrics = CollectorMetrics()
    gate = AdmissionGate(limits)
    live = LiveHub(heartbeat: settings.heartbeat)
    usage = UsageGate(
      catalog: catalog, sink: dependencies.sink, addressLimits: settings.addressLimits,
      freeBytes: dependencies.freeDiskBytes, clocks: clocks)
    let reader = BodyReader(gate: gate, limits: limits, metrics: metrics)
    let server = try PortalServer(address: address, dependencies, usage)
    let access = Access(
      store: catalog, catalog: catalog, maximumFailedLogins: limits.maximumFailedLogins, uptime: clocks.uptime)
    let routes = RouteTable(
      access: access, pages: server,
      recorder: dependencies.requestJournal.map {
        RequestRecorder(journal: $0, key: dependencies.duplicateKey, unrecordedPaths: Self.unrecordedPaths)
      })
    let root = EndpointGroup(routes: routes, reader: reader, catalog: catalog, tag: .server)
    let data = ServerData(
      catalog: catalog, store: dependencies.store, questions: dependencies.questions, usage: dependencies.usage,
      storage: dependencies.storage, limits: limits, executor: dependencies.reportExecutor, clocks: clocks)
    let ingestion = Ingestion(
      catalog: catalog, sink: dependencies.sink, duplicateKey: dependencies.duplicateKey, reader: reader, live: live,
      usage: usage, clocks: clocks, logger: dependencies.logger, hasRoom: dependencies.hasRoom)
    ingestion.add(to: root, tokens: catalog, settings.protocols)
    ingestion.addHealth(
      to: root, hasPublicMetrics: settings.hasPublicMetrics, problems: dependencies.problems
    ) { [usage] in
      var gauges = CollectorGauges.empty
      (gauges.reports, gauges.questions) = (data.reports.load, data.answering.load)
      gauges.recentAnswers = data.answering.recentAnswers
      (gauges.droppedLogLines, gauges.certificateExpiry) = (dependencies.accessLog?.droppedLines, identity?.expiry)
      (gauges.storage, gauges.cluster) = (dependencies.storage(), dependencies.cluster?())
      (gauges.refused, gauges.problems) = (usage.counts, dependencies.problems().count)
      (gauges.backups, gauges.deliveries) = (dependencies.backups?.health, dependencies.deliveries())
      return gauges
    }
    Site(server: server, reader: reader, access: access, data: data).add(
      to: routes, live: live, providers: dependencies.providers, portalAddress: settings.portalAddress,
      logger: dependencies.logger, cluster: dependencies.cluster)
    var api = ProgramAPI(
      data: data, address: address, reader: reader, exportFingerprint: dependencies.duplicateKey.fingerprint,
      refusals: { [usage] in usage.refusals(of: $0) })
    (api.backups, api.symbols, api.exporter) = (dependencies.backups, dependencies.symbols, dependencies.exporter)
    description = api.add(to: root)
    requirements = routes.requirements

    responder = routes.responder(
      clients: ForwardedClients(
        proxies: TrustedProxies(settings.trustedProxies), hasTLS: identity != nil, loginHeader: settings.loginHeader),
      log: dependencies.accessLog, metrics: metrics, clocks: clocks)
  }
}

extension PortalServer {
  /// Creates the portal with what the server says about itself.
  fileprivate init(address: String, _ dependencies: CollectorDependencies, _ usage: UsageGate) throws {
    try self.init(
      address: address, hasCluster: dependencies.cluster != nil, sendsMail: dependencies.sendsMail,
      providers: dependencies.providers.map { ($0.settings.name, SignOnPages.path($0.settings.id)) },
      problems: dependencies.problems,
      refusals: { app in usage.refusals(of: app).map(\.text) },
      // A failure to read the catalog is reported elsewhere.
      zoneChange: { [catalog = dependencies.catalog] app in (try? catalog.zoneChange(of: app)) ?? nil })
  }
}
