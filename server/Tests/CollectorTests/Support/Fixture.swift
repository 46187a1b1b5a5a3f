import AppCatalog
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import Logging
import NIOCore
import Portal
import SignOn
import Symbols
import TernEvents
import Testing
import Threads
import Warehouse
import WarehouseSQLite

@testable import HTTP
@testable import Site
@testable import TernServer

/// A collector over a fake warehouse and a real catalog in a temporary directory.
final class Fixture: Sendable {
  let warehouse = FakeWarehouse()
  let questions = StubQuestions()
  let catalog: Catalog
  let app: App
  let token: String
  let settings: CollectorSettings
  let log = LogRecorder()
  private let clocks: Clocks
  private let accessLog: AccessLog?
  private let providers: [SignOnProvider]
  private let directory: String
  /// The threads of reports, as in a server: a test blocks them.
  private let threads: ThreadPool<Int>

  init(
    _ settings: CollectorSettings = CollectorSettings(),
    wallTime: @escaping @Sendable () -> Timestamp = WallClock.system,
    uptime: @escaping @Sendable () -> Duration = { .zero },
    sleep: (@Sendable (Duration) async throws -> Void)? = nil, accessLog: AccessLog? = nil,
    providers: [SignOnProvider] = [], maximumCount: Int = .max,
    catalogTime: @escaping @Sendable () -> Timestamp = WallClock.system
  ) throws {
    var settings = settings
    settings.limits = settings.limits.patient(hasOwnClock: sleep != nil)
    self.settings = settings
    threads = ThreadPool(.reports, count: settings.limits.maximumConcurrentReports)
    clocks = Clocks(wallTime: wallTime, uptime: uptime, sleep: sleep ?? { try await Task.sleep(for: $0) })
    (self.accessLog, self.providers) = (accessLog, providers)
    directory = FileManager.default.temporaryDirectory.appending(path: "tern-collector-\(UUID().uuidString)").path
    // Hashing at full cost would keep the threads of all tests busy.
    catalog = try Catalog(
      directory: directory, passwordCost: PasswordCost(exponent: 4), maximumCount: maximumCount, now: catalogTime)
    token = try catalog.createToken(name: "test", scopes: [.manage]).secret
    app = try catalog.createApp(name: "Player & <Friends>", timeZone: "Europe/Berlin")
  }

  deinit {
    try? catalog.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  var dependencies: CollectorDependencies {
    var dependencies = CollectorDependencies(
      sink: warehouse, store: warehouse, questions: questions, catalog: catalog, duplicateKey: DuplicateHashKey(1, 2),
      storage: { StorageStatus() }, logger: Logger(label: "test") { [log] _ in log })
    (dependencies.exporter, dependencies.usage) = (SampleExport(), SampleUsage())
    dependencies.reportExecutor = threads
    dependencies.symbols = (catalog, SymbolStore(directory: directory, catalog: catalog))
    (dependencies.accessLog, dependencies.providers) = (accessLog, providers)
    dependencies.clocks = clocks
    return dependencies
  }

  /// The routes and their middleware.
  func collector() throws -> CollectorApplication {
    try CollectorApplication(
      dependencies: dependencies, address: "http://127.0.0.1:8787", settings: settings)
  }

  /// The routes, called without a socket.
  func routed<Value>(_ body: @Sendable (TestClient) async throws -> Value) async throws -> Value {
    let collector = try collector()
    return try await body(TestClient(collector, logger: dependencies.logger))
  }

  /// The header fields of a native request.
  var keyed: HTTPFields { [.ternKey: app.key] }
  var authorized: HTTPFields { [.authorization: "Bearer \(token)"] }

  /// The same catalog as another process has it, with connections of its own.
  func catalogOfAnotherProcess() throws -> Catalog { try Catalog(directory: directory) }

  /// The cookie of a new login, as a browser sends it.
  func cookie() throws -> String {
    "tern_session=\(try catalog.ownerSession())"
  }
}

extension CollectorLimits {
  /// The same limits, with an hour for everything that the test doesn't time itself: on a busy machine, a request may wait
  /// longer for a processor than a client may for its answer.
  fileprivate func patient(hasOwnClock: Bool) -> CollectorLimits {
    var limits = self
    let standard = CollectorLimits()
    var times: [WritableKeyPath<CollectorLimits, Duration>] = [
      \.headDeadline, \.bodyDeadline, \.idleTimeout, \.bodyProgressInterval, \.shutdownDeadline,
    ]
    if !hasOwnClock { times += [\.maximumReportWait, \.questionDeadline] }
    for time in times where limits[keyPath: time] == standard[keyPath: time] { limits[keyPath: time] = .seconds(3_600) }
    return limits
  }
}

extension Catalog {
  /// Logs the first owner in and returns the session's secret.
  func ownerSession() throws -> String {
    try createLoginSession(of: 1, lasting: .seconds(86_400), address: "", browser: "")
  }
}

extension HTTPField.Name {
  static let ternKey = HTTPField.Name("Tern-Key") ?? .accept
  static let ternSent = HTTPField.Name("Tern-Sent") ?? .accept
  static let ternLedger = HTTPField.Name("Tern-Ledger") ?? .accept
  static let appSecret = HTTPField.Name("App-Secret") ?? .accept
  static let installID = HTTPField.Name("Install-ID") ?? .accept
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .accept
}

/// One line of a native body.
func line(_ name: String, id: UInt64 = 1, at time: Timestamp = WallClock.system()) -> String {
  let event = Event(
    id: UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | id), name: name, time: time,
    install: UniqueID(high: 7, low: 0x8000_0000_0000_0001), properties: ["Length": 12.5, "HD": true])
  let device = Device(osName: "Debian GNU/Linux", osVersion: "12", locale: "de_DE")
  return String(decoding: event.line(device: device.encodedMembers()), as: UTF8.self)
}

/// The JSON object of a body.
func object(_ response: TestResponse) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
}

/// The error in a body, which has the same form everywhere.
func error(_ response: TestResponse) throws -> [String: Any] {
  let error = try #require(try object(response)["error"] as? [String: Any])
  #expect(Set(error.keys).subtracting(["path"]) == ["code", "message", "position", "index", "indexes"])
  return error
}

extension Data {
  init(buffer: ByteBuffer) { self.init(buffer.readableBytesView) }
}

/// Ten rows in every app, of which five are old.
struct SampleUsage: RowUsageSource {
  func rowUsage(of app: AppID, before times: [Int64]) async throws -> RowUsage {
    var usage = RowUsage()
    (usage.rows, usage.columnBytes, usage.rowsBefore) = (10, 100, times.map { _ in 5 })
    return usage
  }
}
