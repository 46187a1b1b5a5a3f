import AppCatalog
import ErrorGrouping
import Ingest
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite

/// Puts errors into the groups that symbols say, while the server runs.
struct RegroupingService: Service {
  /// The time between two looks for new signatures and symbols. Alerts about new errors wait for it.
  private static let pollInterval: Duration = .seconds(2)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let symbolicator: any StackSymbolicator
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var regrouping = Regrouping(warehouse: warehouse, symbolicator: symbolicator)
      let clock = ContinuousClock()
      let start = clock.now
      while !Task.isCancelled {
        do {
          let versions = try catalog.symbolsVersions()
          for app in try catalog.apps() where !Task.isCancelled {
            try await regrouping.run(
              app: app.id, symbolsVersion: versions[app.id] ?? "", uptime: start.duration(to: clock.now))
          }
        } catch is CancellationError {
          return
        } catch {
          logger.error("Errors can't be put into groups by their symbols: \(error)")
        }
        try? await Task.sleep(for: Self.pollInterval)
      }
    }
  }
}

/// Looks up the functions of pending signatures, and stores the groups that follow.
struct Regrouping {
  /// The signatures of one transaction.
  private static let maximumBatch = 100
  /// The time after which symbols that could not be read are tried again, which is that of the symbolicator.
  private static let retryInterval: Duration = .seconds(600)
  /// The most signatures that wait for another attempt; further ones are tried again at the next start.
  private static let maximumWaiting = 10_000

  private let warehouse: SQLiteWarehouse
  private let symbolicator: any StackSymbolicator
  /// The signatures whose symbols could not be read, with the time of the next attempt.
  private var waiting: [Int64: Duration] = [:]

  init(warehouse: SQLiteWarehouse, symbolicator: any StackSymbolicator) {
    (self.warehouse, self.symbolicator) = (warehouse, symbolicator)
  }

  /// Handles all pending signatures of an app.
  ///
  /// - Parameters:
  ///   - symbolsVersion: The state of the app's symbols; if it is another one, all signatures are handled.
  ///   - uptime: The time since the start, for later attempts.
  mutating func run(app: AppID, symbolsVersion: String, uptime: Duration) async throws {
    waiting = waiting.filter { $0.value > uptime }
    try await warehouse.regroup(app: app, to: symbolsVersion)
    while true {
      let pending = try await warehouse.pendingSignatures(
        app: app, without: Set(waiting.keys), limit: Self.maximumBatch)
      guard !pending.isEmpty else { return }
      var regrouped: [RegroupedSignature] = []
      for signature in pending {
        let result = await regroup(signature, app: app)
        if !result.isFinal, waiting.count < Self.maximumWaiting { waiting[result.id] = uptime + Self.retryInterval }
        regrouped.append(result)
        try Task.checkCancellation()
      }
      try await warehouse.setKeys(regrouped)
      // Those that found no place among the waiting ones would be pending for ever.
      guard regrouped.allSatisfy({ $0.isFinal || waiting[$0.id] != nil }) else { return }
    }
  }

  private func regroup(_ pending: PendingSignature, app: AppID) async -> RegroupedSignature {
    let signature = pending.signature
    let (functions, isFinal) = await functions(at: signature.positions, app: app)
    let key = GroupKey(signature) { functions[$0] }
    return RegroupedSignature(
      id: pending.id, key: pending.isSplit ? signature.hash : key.value, frame: key.place, isFinal: isFinal)
  }

  /// Returns the functions at positions, and false if not all symbols could be read.
  private func functions(
    at positions: [Position], app: AppID
  ) async -> (found: [Position: [SymbolizedFunction]], isFinal: Bool) {
    guard !positions.isEmpty else { return ([:], true) }
    var stack = ErrorStack()
    stack.threads = [ErrorStack.Thread(name: "", frames: positions.map(Self.frame))]
    let (symbolicated, problem) = await symbolicator.symbolicated(stack, app: app)
    var found: [Position: [SymbolizedFunction]] = [:]
    for frame in symbolicated.threads.flatMap(\.frames) where frame.hasSymbols && !frame.function.isEmpty {
      guard let position = positions.first(where: { Self.frame($0).isAt(frame) }) else { continue }
      found[position, default: []].append(
        SymbolizedFunction(name: frame.function, file: frame.file.isEmpty ? nil : frame.file))
    }
    return (found, problem == nil)
  }

  private static func frame(_ position: Position) -> ErrorStack.Frame {
    var frame = ErrorStack.Frame()
    (frame.image, frame.buildID, frame.offset) = (position.image, position.buildIdentifier, position.offset)
    frame.isReturnAddress = position.kind == .returnAddress
    return frame
  }
}

extension ErrorStack.Frame {
  fileprivate func isAt(_ other: Self) -> Bool {
    buildID == other.buildID && offset == other.offset && isReturnAddress == other.isReturnAddress
  }
}
