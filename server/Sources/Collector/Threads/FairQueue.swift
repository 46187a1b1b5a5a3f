import Foundation

/// A party to which a request's cost is charged. Behind an untrusted proxy all requests have one address, and anyone
/// can use an app's public key, so a request is charged to both.
enum RequestOwner: Hashable, Sendable {
  /// A client address.
  case client(String)
  /// An app.
  case app(Int64)
}

/// Jobs waiting for a thread, ordered by the processor time that their owners have used recently.
///
/// The next job is that of the owners who have used least, and among those the one that has waited longest. Used time halves
/// every second, so bursts are soon forgiven.
struct FairQueue<Job: Sendable>: Sendable {
  private struct Usage {
    var cost = 0.0
    var updated = Duration.zero
    var running = 0
    var waiting = 0

    func cost(at now: Duration) -> Double { cost * pow(0.5, (now - updated) / .seconds(1)) }
  }

  /// The maximum number of jobs of one owner that run at the same time.
  let maximumRunning: Int
  /// Jobs by owners, in order of arrival, and numbered in that order.
  private var waiting: [[RequestOwner]: [(number: Int, job: Job)]] = [:]
  private var arrivals = 0
  /// The number of waiting jobs of all owners.
  private(set) var count = 0
  private var usage: [RequestOwner: Usage] = [:]

  init(maximumRunning: Int) {
    self.maximumRunning = max(maximumRunning, 1)
  }

  /// Returns the number of waiting jobs of the owner that has most.
  func mostWaiting(of owners: [RequestOwner]) -> Int { owners.map { usage[$0]?.waiting ?? 0 }.max() ?? 0 }

  /// Adds a job.
  mutating func add(_ job: Job, owners: [RequestOwner]) {
    waiting[owners, default: []].append((arrivals, job))
    arrivals += 1
    count += 1
    for owner in owners { usage[owner, default: Usage()].waiting += 1 }
  }

  /// Removes and returns the next job, or returns `nil` if no job is waiting or all waiting jobs have owners with the
  /// maximum number of running jobs.
  mutating func next(at now: Duration) -> (job: Job, owners: [RequestOwner])? {
    var best: (owners: [RequestOwner], costs: [Double], number: Int)?
    for (owners, jobs) in waiting where owners.allSatisfy({ (usage[$0]?.running ?? 0) < maximumRunning }) {
      // The largest cost decides, then the others, so that clients behind one proxy compete by app.
      let costs = owners.map { usage[$0]?.cost(at: now) ?? 0 }.sorted(by: >)
      let number = jobs.first?.number ?? .max
      if let best, best.costs == costs ? best.number < number : best.costs.lexicographicallyPrecedes(costs) { continue }
      best = (owners, costs, number)
    }
    guard let best = best?.owners, let job = waiting[best]?.first?.job else { return nil }
    waiting[best]?.removeFirst()
    count -= 1
    if waiting[best]?.isEmpty == true { waiting[best] = nil }
    for owner in best {
      usage[owner]?.waiting -= 1
      usage[owner]?.running += 1
    }
    return (job, best)
  }

  /// Records the end of a job and charges its processor time to its owners.
  mutating func finished(_ owners: [RequestOwner], cost: Duration, at now: Duration) {
    for owner in owners {
      guard var entry = usage[owner] else { continue }
      entry.cost = entry.cost(at: now) + cost / .seconds(1)
      entry.updated = now
      entry.running -= 1
      usage[owner] = entry
    }
    // Forget owners without jobs from time to time; a millisecond more or less is negligible.
    if usage.count > 4_096 {
      usage = usage.filter { $0.value.running + $0.value.waiting > 0 || $0.value.cost(at: now) > 0.001 }
    }
  }
}
