import Ingest
package import TernEvents
package import Warehouse

/// An open warehouse under test.
package struct ContractBackend: Sendable {
  /// The write side.
  package var sink: any EventSink
  /// The read side.
  package var store: any MetricsStore
  /// Makes everything committed so far visible to reports.
  package var settle: @Sendable () async throws -> Void
  /// Seals the days of views that are final at a time.
  package var seal: @Sendable ([View], Timestamp) async throws -> Void
  /// Makes commits fail with an error while they are being stored, until it is called with `nil`.
  package var fail: @Sendable (WarehouseError?) -> Void
  /// Closes the warehouse, after checks of the backend's own.
  package var close: @Sendable () async throws -> Void

  /// Describes an open warehouse.
  package init(
    sink: any EventSink, store: any MetricsStore, settle: @escaping @Sendable () async throws -> Void,
    seal: @escaping @Sendable ([View], Timestamp) async throws -> Void,
    fail: @escaping @Sendable (WarehouseError?) -> Void, close: @escaping @Sendable () async throws -> Void
  ) {
    self.sink = sink
    self.store = store
    self.settle = settle
    self.seal = seal
    self.fail = fail
    self.close = close
  }
}

/// A way in which a warehouse breaks its contract.
package struct ContractViolation: Error, CustomStringConvertible {
  /// The check that failed, with the seed of its traffic, and the values.
  package let description: String
}

/// The contract of a warehouse, for any backend and any test framework.
///
/// Each case opens the backend over a catalog in memory, commits the same batches to it and to a ``NaiveWarehouse``, and
/// compares every read of the port. It throws a ``ContractViolation`` at the first difference. Numbers that a backend
/// chooses, those of rows, installs, error groups and attachments, are compared by their order and equality only.
package struct WarehouseContract: Sendable {
  /// The parts of the contract.
  package enum Case: String, Sendable, CaseIterable {
    /// Random traffic of some days in random order, with the backend closed and opened again.
    case traffic
    /// Random traffic in order of receipt, while days of views are sealed.
    case sealing
    /// Error groups, texts, sessions before errors, and attachments.
    case errors
    /// The cutoff of a view's day to the millisecond, and hits that are stored after it was sealed.
    case cutoff
    /// The ledgers of devices.
    case ledgers
    /// Commits that fail, and a warehouse that is closed.
    case failures
    /// Many writers and readers at once.
    case concurrency
    /// Limits, and reading on where an earlier read stopped.
    case paging

    /// True if a seed decides what is committed.
    package var isRandom: Bool { self == .traffic || self == .sealing }
  }

  let open: @Sendable (MemoryCatalog) async throws -> ContractBackend

  /// Creates the contract of a backend.
  ///
  /// - Parameter open: Opens the warehouse of a catalog; called again after closing, it must find everything stored.
  package init(open: @escaping @Sendable (MemoryCatalog) async throws -> ContractBackend) { self.open = open }

  /// Checks one part of the contract with the traffic of a seed.
  package func check(_ part: Case, seed: UInt64) async throws {
    let catalog = MemoryCatalog(zones: ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe"])
    var trial = ContractTrial(
      label: "\(part), seed \(seed)", seed: seed, catalog: catalog, naive: NaiveWarehouse(catalog: catalog),
      backend: try await open(catalog), reopen: open)
    switch part {
    case .traffic: try await trial.traffic()
    case .sealing: try await trial.sealing()
    case .errors: try await trial.errors()
    case .cutoff: try await trial.cutoff()
    case .ledgers: try await trial.ledgers()
    case .failures: try await trial.failures()
    case .concurrency: try await trial.concurrency()
    case .paging: try await trial.paging()
    }
    try await trial.backend.close()
    try await trial.expectClosed()
  }
}

/// One run of a case against an open backend.
struct ContractTrial {
  let label: String
  let seed: UInt64
  let catalog: MemoryCatalog
  let naive: NaiveWarehouse
  var backend: ContractBackend
  let reopen: @Sendable (MemoryCatalog) async throws -> ContractBackend

  /// Commits a batch to both warehouses, whose receipts must agree.
  @discardableResult
  func commit(_ batch: IncomingBatch, _ app: AppID = AppID(1), _ what: String = "receipt") async throws -> CommitReceipt
  {
    let receipt = try await backend.sink.commit(batch, app: app)
    // How much a batch takes on disk is the warehouse's own affair.
    var comparable = receipt
    comparable.bytes = 0
    try expect(comparable, try naive.store(batch, app: app), what)
    return receipt
  }

  func seal(_ views: [View], now: Timestamp) async throws {
    try await backend.settle()
    try await backend.seal(views, now)
    try naive.seal(views, now: now)
  }

  mutating func closeAndReopen() async throws {
    try await backend.close()
    backend = try await reopen(catalog)
  }

  /// Throws if a value isn't the expected one.
  func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    guard found != expected else { return }
    throw ContractViolation(description: "\(label), \(what): expected \(expected), found \(found)")
  }

  /// Throws if lists differ, and names the first difference.
  func expect<Value: Equatable>(_ found: [Value], _ expected: [Value], _ what: String) throws {
    for (index, pair) in zip(found, expected).enumerated() { try expect(pair.0, pair.1, "\(what) \(index)") }
    try expect(found.count, expected.count, "number of \(what)")
  }

  /// Throws if a call doesn't throw an error with a code.
  func expectError(_ code: WarehouseError.Code, _ what: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as WarehouseError {
      return try expect(error.code == code, true, "\(what): the code of \(error)")
    }
    throw ContractViolation(description: "\(label), \(what): no error")
  }
}
