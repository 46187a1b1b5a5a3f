import AppCatalog
import ErrorGrouping
import Ingest
import Logging
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// Puts errors into the groups that symbols, rules and people say, while the server runs.
struct RegroupingService: Service {
  /// The time between two looks for new signatures, symbols and decisions. Alerts about new errors wait for it.
  private static let pollInterval: Duration = .seconds(2)

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let symbolicator: any StackSymbolicator
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var regrouping = Regrouping(warehouse: warehouse, symbolicator: symbolicator)
      var failures: [AppID: String] = [:]
      let clock = ContinuousClock()
      let start = clock.now
      while !Task.isCancelled {
        var hasMore = false
        do {
          let (symbols, decisions) = (try catalog.symbolsVersions(), try catalog.errorDecisionVersions())
          for app in try catalog.apps().map(\.id) where !Task.isCancelled {
            let version = GroupingVersion(
              symbols: symbols[app] ?? "", decisions: decisions[app].map { "\($0)" } ?? "")
            do {
              let isMore = try await regrouping.run(
                app: app, version: version, uptime: start.duration(to: clock.now)
              ) { try catalog.errorDecisions(app: app) }
              hasMore = hasMore || isMore
              failures[app] = nil
            } catch is CancellationError {
              return
            } catch {
              // One app must not keep the others from their groups.
              if failures.updateValue("\(error)", forKey: app) != "\(error)" {
                logger.error("The errors of app \(app) can't be put into groups: \(error)")
              }
            }
          }
        } catch {
          logger.error("Errors can't be put into groups: \(error)")
        }
        if !hasMore { try? await Task.sleep(for: Self.pollInterval) }
      }
    }
  }
}

/// Looks up the functions of pending signatures, and stores the groups that follow.
struct Regrouping {
  /// The signatures of one round, after which the other apps have theirs: a file with symbols may take seconds each time.
  private static let maximumBatch = 20
  /// The time after which symbols that could not be read are tried again, which is that of the symbolicator.
  private static let retryInterval: Duration = .seconds(600)

  private let warehouse: SQLiteWarehouse
  private let symbolicator: any StackSymbolicator
  /// The time at which symbols of an app that could not be read are tried again.
  private var retries: [AppID: Duration] = [:]

  init(warehouse: SQLiteWarehouse, symbolicator: any StackSymbolicator) {
    (self.warehouse, self.symbolicator) = (warehouse, symbolicator)
  }

  /// Handles pending signatures of an app.
  ///
  /// - Parameters:
  ///   - version: The state of the app's symbols and decisions; if it is another one, all signatures are handled.
  ///   - uptime: The time since the start, for later attempts.
  ///   - decisions: Returns the decisions of people.
  /// - Returns: True if more signatures may be pending.
  mutating func run(
    app: AppID, version: GroupingVersion, uptime: Duration, decisions: () throws -> ErrorDecisions
  ) async throws -> Bool {
    let isDue = uptime >= retries[app] ?? .zero
    let isChanged = try await warehouse.regroup(app: app, to: version, retries: isDue)
    if isDue { retries[app] = uptime + Self.retryInterval }
    let pending = try await warehouse.pendingSignatures(app: app, limit: Self.maximumBatch)
    guard !pending.isEmpty || isChanged else { return false }
    let decisions = try decisions()
    let rules = try decisions.rules.grouping()
    var regrouped: [RegroupedSignature] = []
    for signature in pending {
      regrouped.append(await regroup(signature, rules, app: app))
      try Task.checkCancellation()
    }
    try await warehouse.setKeys(regrouped, decisions: decisions, version: version, app: app)
    return pending.count == Self.maximumBatch
  }

  private func regroup(
    _ pending: PendingSignature, _ rules: GroupingRules, app: AppID
  ) async -> RegroupedSignature {
    let signature = pending.signature
    let (functions, isFinal) = await functions(at: signature.positions, app: app)
    var result = RegroupedSignature(
      id: pending.id, group: nil, isSymbolized: pending.isSymbolized || !functions.isEmpty, isFinal: isFinal)
    // Symbols that had to make room for those of later builds take no group apart.
    guard !functions.isEmpty || !pending.isSymbolized else { return result }
    result.group = GroupKey(signature, rules: rules) { functions[$0] }
    result.type = signature.renamedType { functions[$0] }
    return result
  }

  /// Returns the functions at positions, and false if not all symbols could be read.
  private func functions(
    at positions: [Position], app: AppID
  ) async -> (found: [Position: [SymbolizedFunction]], isFinal: Bool) {
    guard !positions.isEmpty else { return ([:], true) }
    var stack = ErrorStack()
    stack.appBuild = positions.first { !$0.method.isEmpty }?.buildIdentifier ?? ""
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
    // The text stays, and so tells which call a frame was.
    (frame.text, frame.function, frame.file) = (position.method, position.method, position.file)
    if !position.method.isEmpty { frame.line = Int(clamping: position.offset) }
    return frame
  }
}

extension ErrorStack.Frame {
  fileprivate func isAt(_ other: Self) -> Bool {
    buildID == other.buildID && text == other.text && offset == other.offset && isReturnAddress == other.isReturnAddress
  }
}
