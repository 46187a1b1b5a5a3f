import Foundation

/// The bounds of a ``FairQueue``; none by default.
package struct FairQueueLimits: Sendable {
  /// The maximum number of jobs that run at the same time.
  package var running = Int.max
  /// The maximum number of one owner's jobs that run at the same time.
  package var runningPerOwner = Int.max
  /// The maximum number of jobs that wait.
  package var waiting = Int.max
  /// The maximum number of one owner's jobs that wait.
  package var waitingPerOwner = Int.max

  /// Creates limits, without bounds unless they are given.
  package init(
    running: Int = .max, runningPerOwner: Int = .max, waiting: Int = .max, waitingPerOwner: Int = .max
  ) {
    self.running = max(running, 1)
    self.runningPerOwner = max(runningPerOwner, 1)
    self.waiting = waiting
    self.waitingPerOwner = waitingPerOwner
  }
}

/// Jobs waiting for their turn, ordered by the time that their owners have used recently. A job may have several owners, or none.
///
/// The next job is that of the owners who have used least, and among those the one that has waited longest. Used time halves
/// every second, so bursts are soon forgiven.
package struct FairQueue<Owner: Hashable & Sendable, Job: Sendable>: Sendable {
  /// The number of a job, in order of arrival.
  package typealias Ticket = Int

  /// A job whose turn it is.
  package struct Turn: Sendable {
    package let ticket: Ticket
    package let job: Job
    package let owners: [Owner]
  }

  private struct Usage {
    var cost = 0.0
    var updated = Duration.zero
    var running = 0
    var waiting = 0

    func cost(at now: Duration) -> Double { cost * pow(0.5, (now - updated) / .seconds(1)) }
  }

  private let limits: FairQueueLimits
  /// Jobs by owners, in order of arrival.
  private var jobs: [[Owner]: [(ticket: Ticket, job: Job)]] = [:]
  private var usage: [Owner: Usage] = [:]
  private var lastTicket = 0
  /// The number of waiting jobs.
  package private(set) var waiting = 0
  /// The number of running jobs.
  package private(set) var running = 0

  package init(_ limits: FairQueueLimits = FairQueueLimits()) { self.limits = limits }

  /// Adds a job and returns its ticket, or returns `nil` if too many are waiting.
  package mutating func add(_ job: Job, owners: [Owner]) -> Ticket? {
    let mostWaiting = owners.map { usage[$0]?.waiting ?? 0 }.max() ?? 0
    guard waiting < limits.waiting, mostWaiting < limits.waitingPerOwner else { return nil }
    lastTicket += 1
    jobs[owners, default: []].append((lastTicket, job))
    waiting += 1
    for owner in owners { usage[owner, default: Usage()].waiting += 1 }
    return lastTicket
  }

  /// Starts and returns the next job, or returns `nil` if none may run now.
  package mutating func next(at now: Duration) -> Turn? {
    guard waiting > 0, running < limits.running else { return nil }
    var best: (owners: [Owner], costs: [Double], ticket: Ticket)?
    for (owners, jobs) in jobs where canRun(owners) {
      // The largest cost decides, then the others, so that clients behind one proxy compete by app.
      let costs = owners.map { usage[$0]?.cost(at: now) ?? 0 }.filter { $0 > 0 }.sorted(by: >)
      let ticket = jobs.first?.ticket ?? .max
      if let best, best.costs == costs ? best.ticket < ticket : best.costs.lexicographicallyPrecedes(costs) { continue }
      best = (owners, costs, ticket)
    }
    guard let best, let job = remove(best.ticket, of: best.owners) else { return nil }
    running += 1
    for owner in best.owners { usage[owner]?.running += 1 }
    return Turn(ticket: best.ticket, job: job, owners: best.owners)
  }

  /// Records the end of a job and charges its time to its owners.
  package mutating func finished(_ owners: [Owner], cost: Duration, at now: Duration) {
    running -= 1
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

  /// Removes and returns a waiting job, or returns `nil` if it isn't waiting any more.
  package mutating func abandon(_ ticket: Ticket) -> Job? {
    let owners = jobs.first { $0.value.contains { $0.ticket == ticket } }?.key
    return owners.flatMap { remove(ticket, of: $0) }
  }

  private func canRun(_ owners: [Owner]) -> Bool {
    owners.allSatisfy { (usage[$0]?.running ?? 0) < limits.runningPerOwner }
  }

  private mutating func remove(_ ticket: Ticket, of owners: [Owner]) -> Job? {
    guard let index = jobs[owners]?.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    let job = jobs[owners]?.remove(at: index).job
    if jobs[owners]?.isEmpty == true { jobs[owners] = nil }
    waiting -= 1
    for owner in owners { usage[owner]?.waiting -= 1 }
    return job
  }
}
