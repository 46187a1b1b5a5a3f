package import AppCatalog
import DataFiles
import Foundation
package import HTTP
import Ingest
package import Logging
import Outgoing
import Reports
import ServerBase
import ServiceLifecycle
package import SignOn
import Symbols
import TernBase
import TernEvents
package import UnixSignals
import Warehouse
package import WarehouseSQLite
package import WarehouseUpkeep

/// A server on a data directory: catalog, warehouse and collector, opened and closed together.
package struct LocalServer {
  /// The catalog's setting with the address at which a server last listened.
  package static let addressSetting = "server_address"

  /// The catalog's setting with the path of the last regular backup.
  package static let lastBackupSetting = "last_backup"

  /// The apps, and the rights of accounts and tokens.
  package let catalog: Catalog
  /// The events.
  package let warehouse: SQLiteWarehouse
  private let owner: DirectoryOwner
  private let directory: String
  private let backups: BackupSeries?
  private let scrubPeriod: Duration?
  private let accessLog: AccessLog?
  /// The copying of rows to a cluster; `nil` if there is none.
  private let copy: ClusterCopy?
  private let logger: Logger
  private let recognizedAge: Duration
  private let keepsAtHome: Duration?
  private let symbolizer: String
  private let symbolLimits: SymbolLimits
  /// The ways out for notifications.
  private let outgoing: OutgoingSettings
  /// The providers with which people sign in.
  private let providers: [ProviderSettings]

  /// Opens a data directory, creating it if missing.
  ///
  /// Throws ``Warehouse/WarehouseError``, with code `inUse` if another server runs on it.
  ///
  /// - Parameters:
  ///   - viewCacheBytes: The maximum memory for counted days of views.
  ///   - diskReserve: The free bytes on the disk below which nothing is collected.
  ///   - recognizedAge: The age at which the collector refuses events.
  ///   - backups: The regular backups; `nil` for none.
  ///   - scrubPeriod: The time in which each file is read and checked for damage once; `nil` for never.
  ///   - accessLog: The log of requests; `nil` for none.
  ///   - cluster: The cluster to which rows are copied; `nil` for none.
  ///   - keepsAtHome: The time after which rows may leave for the cluster; `nil` if they stay.
  ///   - symbolizer: The name or path of `llvm-symbolizer`.
  ///   - outgoing: The ways in which notifications go out.
  ///   - providers: The providers with which people sign in.
  ///   - refusedPasswords: The passwords that others know.
  package init(
    directory: String, viewCacheBytes: Int = WarehouseConfiguration.standardViewCacheBytes, diskReserve: Int64 = 0,
    recognizedAge: Duration = IngestLimits.native.maximumAge, backups: BackupSeries? = nil,
    scrubPeriod: Duration? = nil, accessLog: AccessLog? = nil,
    cluster: ClusterConnection? = nil,
    keepsAtHome: Duration? = nil, symbolizer: String = "llvm-symbolizer",
    outgoing: OutgoingSettings = OutgoingSettings(), providers: [ProviderSettings] = [],
    refusedPasswords: RefusedPasswords = RefusedPasswords(),
    logger: Logger = LocalServer.standardLogger
  ) throws {
    FreedMemory.limitAreas(processors: ProcessInfo.processInfo.activeProcessorCount)
    self.directory = directory
    (self.backups, self.scrubPeriod) = (backups, scrubPeriod)
    self.accessLog = accessLog
    self.logger = logger
    (self.outgoing, self.providers) = (outgoing, providers)
    (self.recognizedAge, self.keepsAtHome) = (recognizedAge, keepsAtHome)
    self.symbolizer = symbolizer
    var symbolLimits = SymbolLimits()
    symbolLimits.diskReserve = Int(clamping: diskReserve)
    self.symbolLimits = symbolLimits
    // Before anything is written.
    owner = try SQLiteWarehouse.owner(
      of: directory, report: { logger.notice("\($0)") }, onLoss: { Self.stop($0, logger) })
    catalog = try Catalog(directory: directory, isOwned: true, refusedPasswords: refusedPasswords)
    try catalog.removeUnusedSymbols()
    // Before the warehouse: a start after an interrupted rebuild reads all rows.
    try cluster?.connectRetiredRows(of: directory, catalog)
    warehouse = try SQLiteWarehouse(
      directory: directory, owner: owner, catalog: catalog, viewCacheBytes: viewCacheBytes, diskReserve: diskReserve,
      recognizedAge: recognizedAge, examinesInterruptedWork: true, report: { logger.error("\($0)") })
    if let shortage = warehouse.shortage { logger.error("Nothing is collected: \(shortage)") }
    // A file that each start creates anew.
    if let exposure = DataDirectory.exposure(of: DataDirectory(path: directory).ownerPath) {
      logger.warning("\(exposure)")
    }
    copy = try cluster.map { [catalog, warehouse] in
      try ClusterCopy($0, directory: directory, catalog: catalog, reader: warehouse.reader) { logger.notice("\($0)") }
    }
  }

  /// Ends the process at once: closing the files would write to them.
  static func stop(_ loss: WarehouseError, _ logger: Logger) {
    // If the directory is gone, a server would begin with an empty one, so the service manager must not start one.
    let code: Int32 = loss.code == .gone ? 3 : 2
    // A program that no longer reads standard error would block the message.
    Thread.detachNewThread {
      usleep(200_000)
      _exit(code)
    }
    logger.critical("\(loss)")
    _exit(code)
  }

  /// A logger that writes lines to standard error.
  package static var standardLogger: Logger {
    Logger(label: "tern") { StreamLogHandler.standardError(label: $0) }
  }

  /// Serves until a signal ends the process, the surrounding service group stops, or the task is cancelled; then closes
  /// everything.
  ///
  /// - Parameters:
  ///   - configuration: The address and settings.
  ///   - signals: The signals that end it; none if the caller handles them.
  ///   - onListening: Called once with the actual port when the server accepts connections.
  package func run(
    _ configuration: CollectorServer.Configuration, signals: [UnixSignal] = [.sigterm, .sigint],
    onListening: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    let result = await Result { try await serve(configuration, signals, onListening) }
    copy?.close()
    let closed = await Result { try await warehouse.close() }
    let catalogClosed = Result(catching: catalog.close)
    // After all files are closed, and before something that may block.
    owner.release()
    // Last, because a program that no longer reads standard output would block it.
    accessLog?.flush()
    try result.get()
    try closed.get()
    try catalogClosed.get()
  }

  private func serve(
    _ configuration: CollectorServer.Configuration, _ signals: [UnixSignal],
    _ onListening: @escaping @Sendable (Int) async -> Void
  ) async throws {
    try await takeZoneData()
    let secret = try catalog.duplicateSecret()
    let clusterStatus: (@Sendable () -> ClusterStatus?)? = if let copy { { copy.status() } } else { nil }
    let symbolicator = Symbolicator(
      catalog: catalog, program: symbolizer, launcher: ProcessTrials.ownProgram,
      report: { [logger] in logger.error("\($0)") })
    let backupFailure = Locked<String?>(nil)
    let regularBackups = backups.map { RegularBackups(series: $0, failure: backupFailure) }
    var dependencies = CollectorDependencies(
      sink: warehouse, store: SymbolicatedStore(warehouse.reader, symbolicator: symbolicator),
      questions: warehouse.reader, catalog: catalog, duplicateKey: DuplicateHashKey(secret.0, secret.1),
      storage: { [warehouse] in warehouse.storageStatus }, logger: logger)
    (dependencies.exporter, dependencies.usage) = (warehouse.reader, warehouse.reader)
    dependencies.reportExecutor = warehouse.reader.executor
    dependencies.symbols = (catalog, SymbolStore(directory: directory, catalog: catalog, limits: symbolLimits))
    dependencies.cluster = clusterStatus
    dependencies.freeDiskBytes = { [warehouse] in warehouse.freeDiskBytes }
    dependencies.hasRoom = { [warehouse] in warehouse.hasRoom }
    dependencies.problems = { [warehouse] in warehouse.problems }
    (dependencies.backups, dependencies.requestJournal) = (regularBackups, warehouse)
    let deliveries = Locked(DeliveryStatus(kinds: Destination.kinds))
    dependencies.deliveries = { [catalog] in
      var status = deliveries.withLock { $0 }
      status.waiting = try? catalog.waitingDeliveries()
      return status
    }
    dependencies.sendsMail = outgoing.mail != nil
    (dependencies.accessLog, dependencies.providers) = (accessLog, SignOnProvider.connected(providers))
    let server = CollectorServer(configuration, dependencies: dependencies, onListening: onListening)
    var quiet = logger
    quiet.logLevel = .error
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
      .init(service: SealingService(warehouse: warehouse, catalog: catalog, logger: logger)),
      .init(service: RecoveryService(warehouse: warehouse)),
      .init(service: MemoryService()),
      .init(
        service: RegroupingService(
          warehouse: warehouse, catalog: catalog, symbolicator: symbolicator, logger: logger)),
      .init(
        service: JobService(
          warehouse: warehouse, catalog: catalog,
          jobs: JobRunner(
            warehouse: warehouse, catalog: catalog, directory: directory, copy: copy, recognizedAge: recognizedAge),
          trials: ProcessTrials(directory: directory), logger: logger, keepsAtHome: keepsAtHome)),
      .init(service: server, successTerminationBehavior: .gracefullyShutdownGroup),
    ]
    let certificateExpiry: (@Sendable () -> Timestamp?)? =
      if let files = configuration.tls { { files.expiry() } } else { nil }
    if let regularBackups {
      services.append(
        .init(
          service: BackupService(
            directory: directory, backups: regularBackups, catalog: catalog, logger: logger)))
    }
    if let scrubPeriod {
      services.append(
        .init(
          service: ScrubService(
            warehouse: warehouse, catalog: catalog, backups: backups, copy: copy, logger: logger, period: scrubPeriod)))
    }
    services.append(
      .init(
        service: try AlertService(
          catalog, warehouse, outgoing,
          problems: ServerProblems(
            problems: dependencies.problems, storage: dependencies.storage, cluster: clusterStatus,
            backupFailure: backupFailure,
            certificateExpiry: certificateExpiry),
          deliveries: deliveries, logger: logger)))
    services.append(.init(service: try MailReportService(catalog, warehouse, outgoing, logger: logger)))
    if let copy { services.append(.init(service: ShippingService(copy: copy))) }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services, gracefulShutdownSignals: signals, logger: quiet))
    try await group.run()
  }
}

extension LocalServer {
  /// Counts by the zone data of this computer from now on, if they are newer, and says so.
  private func takeZoneData() async throws {
    let zones = ZoneDatabase.system
    if zones.isBuiltIn {
      logger.warning(
        """
        No time zone data found in /usr/share/zoneinfo or the folder that TZDIR names: using those built into this program, which \
        may be out of date. Install them (package tzdata), then restart.
        """)
    } else {
      logger.info("Zone data: \(zones.source)")
    }
    let update = try catalog.takeZoneData(
      rowTimes: try await warehouse.reader.rowTimes(), lastSealed: try await warehouse.reader.lastSealedDays())
    for zone in update.missing.sorted() {
      logger.warning(
        "This computer's zone data lack \(zone): its days are counted by the previous data, which may be out of date"
      )
    }
    for app in update.apps {
      logger.notice("App \(app): the new zone data change its clock; recounting its days")
    }
    for view in update.views {
      logger.notice("View \(view): counting by the new zone data, except days that are sealed")
    }
  }
}

extension Result where Failure == any Error {
  /// Stores the value or error of `body`.
  package init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
