import Ingest
package import ServerBase
import TernBase
package import Warehouse

/// Counts the hits of the last half hour, user by user.
package struct ViewRealtimeBuilder {
  private struct Tally {
    var hits = 0
    var users = 0
    var last: UInt32?

    /// Counts a user. Hits of the same user must be consecutive.
    mutating func add(_ slot: UInt32) {
      hits += 1
      if last != slot { users += 1 }
      last = slot
    }
  }

  private struct Key: Hashable {
    var fact: ViewRealtime.Fact
    var parts: [String]
  }

  private let now: EventTime
  private let earlier: SlotSet
  private var metrics = ViewRealtime()
  private var active = Tally()
  private var fresh = Tally()
  private var facts: [Key: Tally] = [:]
  private var minutes: [Tally]

  /// - Parameter earlier: The users who were active on an earlier day.
  package init(now: Int64, earlier: SlotSet) {
    self.now = EventTime(now)
    self.earlier = earlier
    minutes = Array(repeating: Tally(), count: ViewRealtime.length)
  }

  /// Adds all hits of one user.
  package mutating func add(_ hits: [ViewHit], _ slot: UInt32) {
    // Sorted so that a minute's hits of one user are consecutive too.
    for hit in hits {
      guard let age = age(hit), age < ViewRealtime.length else { continue }
      minutes[age].add(slot)
      if hit.isScreenView { metrics.minutes[age].screenViews += 1 }
      if age < ViewRealtime.active { addActive(hit, slot) }
    }
  }

  /// The hit's age in whole minutes. A hit that a device dates in the future counts in the current minute.
  private func age(_ hit: ViewHit) -> Int? {
    max(0, now - hit.time).divided(by: 60_000).map { Int(clamping: $0.rawValue) }
  }

  private mutating func addActive(_ hit: ViewHit, _ slot: UInt32) {
    active.add(slot)
    if !earlier.contains(slot) { fresh.add(slot) }
    if hit.isScreenView { add(.screen, [hit.screen], slot) }
    if hit.isEvent { add(.event, [hit.text("ec"), hit.text("ea")], slot) }
    add(.app, [hit.text("an")], slot)
    add(.version, [hit.version.isEmpty ? "(not set)" : hit.version], slot)
    add(.country, [hit.device.country.isEmpty ? "(not set)" : CanonicalCode.country(hit.device.country)], slot)
  }

  private mutating func add(_ fact: ViewRealtime.Fact, _ parts: [String], _ slot: UInt32) {
    facts[Key(fact: fact, parts: parts), default: Tally()].add(slot)
  }

  /// Returns the metrics once all users are added.
  package func finished() -> ViewRealtime {
    var metrics = metrics
    (metrics.activeUsers, metrics.newUsers, metrics.hits) = (active.users, fresh.users, active.hits)
    for (index, minute) in minutes.enumerated() {
      (metrics.minutes[index].hits, metrics.minutes[index].users) = (minute.hits, minute.users)
    }
    for (key, tally) in facts {
      metrics.facts[key.fact, default: []].append(
        ViewRealtime.Row(key: key.parts, hits: tally.hits, users: tally.users))
    }
    for fact in metrics.facts.keys {
      metrics.facts[fact]?.sort {
        ($1.users, $1.hits) == ($0.users, $0.hits)
          ? $0.key.lexicographicallyPrecedes($1.key) : ($1.users, $1.hits) < ($0.users, $0.hits)
      }
    }
    return metrics
  }
}
