import HTTP
import HTTPTypes
import Ingest
import ServiceLifecycle
import TernBase
import TernEvents
package import Warehouse

/// The limits of apps and client addresses in a running collector, and what was refused because of them.
package final class UsageGate: Service {
  /// The time for which limits and the free disk space are not read again.
  private static let freshness = Duration.seconds(1)
  /// The time between two records of hits that were dropped.
  private static let recordInterval = Duration.seconds(10)

  private struct State {
    var meter = UsageMeter()
    var limits: [AppID: UsageLimits] = [:]
    var read: Duration?
    var refusals: [RefusalKey: Int] = [:]
    var ofApps: [AppID: [UsageLimits.Kind: UsageRefusals]] = [:]
    /// The hits that were dropped and not recorded yet.
    var dropped: [AppID: Int] = [:]
  }

  private struct RefusalKey: Hashable {
    var ownerKind: String
    var kind: UsageLimits.Kind
  }

  private let catalog: any CatalogStore
  private let sink: any EventSink
  private let addressLimits: UsageLimits
  private let freeBytes: @Sendable () -> Int64?
  private let clocks: Clocks
  private let state = Locked(State())

  package init(
    catalog: any CatalogStore, sink: any EventSink, addressLimits: UsageLimits,
    freeBytes: @escaping @Sendable () -> Int64?, clocks: Clocks
  ) {
    (self.catalog, self.sink, self.addressLimits) = (catalog, sink, addressLimits)
    (self.freeBytes, self.clocks) = (freeBytes, clocks)
  }

  /// Admits a request; throws ``APIError`` 429 if an owner is over a limit.
  func admit(_ owners: [RequestOwner]) throws(APIError) {
    let (now, time) = (clocks.uptime(), clocks.wallTime())
    refresh(now)
    let refusal = state.withLock { state -> UsageMeter.Refusal? in
      let limited = owners.map { ($0, limits(of: $0, state)) }
      do throws(UsageMeter.Refusal) {
        try state.meter.admit(limited, now: now)
        return nil
      } catch {
        Self.note(error, time, &state)
        return error
      }
    }
    if let refusal { throw APIError(refusal) }
  }

  /// Charges what a request has used to its owners.
  func charge(_ use: UsageMeter.Use, to owners: [RequestOwner]) {
    let now = clocks.uptime()
    state.withLock { state in
      state.meter.charge(use, to: owners.map { ($0, limits(of: $0, state)) }, now: now)
    }
  }

  /// Counts hits that are dropped because their app or its client is over a limit: their protocol knows no later attempt.
  func drop(_ hits: Int, of app: AppID) { state.withLock { $0.dropped[app, default: 0] += hits } }

  /// The refusals of an app in the last day, most recent first.
  package func refusals(of app: AppID) -> [UsageRefusals] {
    let oldest = clocks.wallTime() + .seconds(-86_400)
    return state.withLock { $0.ofApps[app]?.values.filter { $0.last >= oldest } ?? [] }
      .sorted { ($0.last, $0.kind.rawValue) > ($1.last, $1.kind.rawValue) }
  }

  /// The number of refused requests by the kind of owner and the limit, for `/metrics`.
  package var counts: [(owner: String, kind: UsageLimits.Kind, count: Int)] {
    let refusals = state.withLock { $0.refusals }
    return ["app", "address"].flatMap { owner in
      UsageLimits.Kind.allCases.map { kind in
        (owner, kind, refusals[RefusalKey(ownerKind: owner, kind: kind)] ?? 0)
      }
    }
  }

  /// Records dropped hits until the server is asked to stop, and then what is left.
  package func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await self.clocks.sleep(Self.recordInterval)
        await self.recordDropped()
      }
    }
    await recordDropped()
  }

  /// Counts dropped hits among the dropped events of their apps.
  func recordDropped() async {
    let dropped = state.withLock { state in
      defer { state.dropped = [:] }
      return state.dropped
    }
    for (app, count) in dropped {
      do {
        try await sink.reject(count, .rateLimited, source: .measurement, app: app, received: clocks.wallTime())
      } catch {
        // The next time, unless the app was deleted.
        guard (error as? WarehouseError)?.code != .unknownApp else { continue }
        drop(count, of: app)
      }
    }
  }

  private func limits(of owner: RequestOwner, _ state: State) -> UsageLimits {
    switch owner {
    case .client: addressLimits
    case .app(let app): state.limits[AppID(app)] ?? .app
    }
  }

  private static func note(_ refusal: UsageMeter.Refusal, _ time: Timestamp, _ state: inout State) {
    switch refusal.owner {
    case .client: state.refusals[RefusalKey(ownerKind: "address", kind: refusal.kind), default: 0] += 1
    case .app(let app):
      state.refusals[RefusalKey(ownerKind: "app", kind: refusal.kind), default: 0] += 1
      let first = UsageRefusals(kind: refusal.kind, limit: refusal.limit, count: 0, first: time, last: time)
      var all = state.ofApps[AppID(app)]?[refusal.kind] ?? first
      // After a quiet day, the count begins again.
      if time.since(all.last) >= .seconds(86_400) { all = first }
      (all.count, all.last, all.limit) = (all.count + 1, time, refusal.limit)
      state.ofApps[AppID(app), default: [:]][refusal.kind] = all
    }
  }

  /// Reads the limits of all apps and the free disk space, at most once a second.
  private func refresh(_ now: Duration) {
    let isDue = state.withLock { state in
      guard state.read.map({ now - $0 >= Self.freshness }) ?? true else { return false }
      state.read = now
      return true
    }
    guard isDue else { return }
    // An unreadable catalog is no reason to refuse a request: the limits stay as they were.
    let limits = try? catalog.usageLimits()
    let free = freeBytes().map { Int(clamping: $0) }
    state.withLock { state in
      if let limits { state.limits = limits }
      state.meter.freeBytes = free
    }
  }
}

extension APIError {
  /// The code of a request that is over a limit.
  static let overLimit = "over_limit"

  fileprivate init(_ refusal: UsageMeter.Refusal) {
    let owner = if case .app = refusal.owner { "This app" } else { "This address" }
    // Rounded up: after this time there is room.
    let seconds = Int(clamping: (refusal.wait / .seconds(1)).rounded(.up))
    self.init(
      status: .tooManyRequests, code: Self.overLimit,
      message: "\(owner) is over its limit of \(refusal.limit). Keep the events and try again later.",
      headers: [.retryAfter: String(max(1, seconds))])
  }
}
