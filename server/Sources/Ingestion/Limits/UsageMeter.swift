import HTTP
import Warehouse

/// Measures what apps and client addresses use, and refuses requests of those that are over a limit.
///
/// A request is charged when its size is known, after it was stored. So each owner can be over its limit by the requests in
/// progress, and then waits until the excess has drained. Everything is kept in memory: a restart forgives all.
struct UsageMeter: Sendable {
  /// A refusal of a request.
  struct Refusal: Error, Equatable {
    /// The owner that is over its limit.
    var owner: RequestOwner
    var kind: UsageLimits.Kind
    /// The limit, as a sentence says it.
    var limit: String
    /// The time after which a request is admitted again.
    var wait: Duration
  }

  /// The use of one request.
  struct Use: Equatable {
    var events = 0
    var bytes = 0
    var installs = 0
  }

  private struct Account {
    var requests: LeakyBucket
    var events: LeakyBucket
    var bytes: LeakyBucket
    var installs: LeakyBucket

    init(now: Duration) {
      requests = LeakyBucket(now: now)
      (events, bytes, installs) = (requests, requests, requests)
    }
  }

  /// The time over which requests and events are averaged.
  private static let burst = 60.0
  private static let day = 86_400.0
  /// The share of the free disk space that one owner may fill in a day.
  private static let freeShare = 4

  /// The maximum number of owners in memory.
  let capacity: Int
  /// The free bytes of the disk; `nil` if unknown.
  var freeBytes: Int?
  private var accounts: [RequestOwner: Account] = [:]

  init(capacity: Int = 10_000) { self.capacity = capacity }

  /// The number of owners in memory.
  var owners: Int { accounts.count }

  /// Admits a request of some owners and counts it; throws ``Refusal`` if one of them is over a limit. Refused requests
  /// don't count.
  mutating func admit(
    _ owners: [(owner: RequestOwner, limits: UsageLimits)], now: Duration
  ) throws(Refusal) {
    for (owner, limits) in owners {
      guard let account = accounts[owner] else { continue }
      for (kind, bucket, rate, capacity) in measures(account, limits) {
        guard let wait = bucket.wait(rate: rate, capacity: capacity, now: now) else { continue }
        throw Refusal(owner: owner, kind: kind, limit: limits.text(kind), wait: wait)
      }
    }
    for (owner, limits) in owners {
      change(owner, now) { $0.requests.add(1, rate: Double(limits.requestsPerSecond), now: now) }
    }
  }

  /// Charges what a request has used to its owners.
  mutating func charge(_ use: Use, to owners: [(owner: RequestOwner, limits: UsageLimits)], now: Duration) {
    for (owner, limits) in owners {
      let bytesPerSecond = bytesPerDay(limits) / Self.day
      change(owner, now) {
        $0.events.add(use.events, rate: Double(limits.eventsPerSecond), now: now)
        $0.bytes.add(use.bytes, rate: bytesPerSecond, now: now)
        $0.installs.add(use.installs, rate: Double(limits.installsPerDay) / Self.day, now: now)
      }
    }
  }

  private func bytesPerDay(_ limits: UsageLimits) -> Double {
    Double(max(1, min(limits.bytesPerDay, freeBytes.map { $0 / Self.freeShare } ?? .max)))
  }

  /// The buckets of an account, with what drains from each per second and what each holds.
  private func measures(
    _ account: Account, _ limits: UsageLimits
  ) -> [(UsageLimits.Kind, LeakyBucket, rate: Double, capacity: Double)] {
    let (requests, events) = (Double(limits.requestsPerSecond), Double(limits.eventsPerSecond))
    let (bytes, installs) = (bytesPerDay(limits), Double(limits.installsPerDay))
    return [
      (.requests, account.requests, requests, requests * Self.burst),
      (.events, account.events, events, events * Self.burst), (.bytes, account.bytes, bytes / Self.day, bytes),
      (.installs, account.installs, installs / Self.day, installs),
    ]
  }

  private mutating func change(_ owner: RequestOwner, _ now: Duration, _ body: (inout Account) -> Void) {
    if accounts[owner] == nil, accounts.count >= capacity { makeRoom(now) }
    body(&accounts[owner, default: Account(now: now)])
  }

  /// Forgets addresses that have used little. Only a flood from very many addresses comes here, and each of them has.
  private mutating func makeRoom(_ now: Duration) {
    let rate = Double(UsageLimits.address.requestsPerSecond)
    accounts = accounts.filter { owner, account in
      if case .app = owner { return true }
      return account.requests.wait(rate: rate, capacity: rate, now: now) != nil
    }
    guard accounts.count >= capacity else { return }
    accounts = accounts.filter { if case .app = $0.key { true } else { false } }
  }
}
