package import ClickHouse
import TernEvents

/// Brings units to one shard, each exactly once: decides the next request, and which replica gets it.
///
/// The machine sends one unit at a time. After a failure, the shard may have stored nothing, all, or a part of it, so the
/// machine looks before it sends again. An insert that arrives even later is one more copy of a block that ClickHouse has
/// just stored, and therefore ignored; an old server without replication ignores nothing, so a verification finds it there.
/// When a part is there, the rows are sent as another generation, because ClickHouse would ignore the same block again;
/// ``ShardSweep`` deletes the part.
package struct ShardMachine: Sendable {
  package enum Input: Sendable {
    /// Units to bring, after those that were given before.
    case add([ShippingUnit])
    /// The outcome of the last action that has one.
    case outcome(Outcome)
    /// The wait may be over.
    case tick
  }

  package enum Outcome: Sendable {
    /// The insert was confirmed.
    case inserted
    /// The content that the shard has of the unit.
    case found(UnitContent)
    case failed(ClickHouseError)
  }

  package enum Action: Sendable, Equatable {
    /// Insert the unit's rows at a replica, given by its place in the list.
    case insert(ShippingUnit, replica: Int)
    /// Wait until the replica has all that the others have, then count the unit's rows.
    case look(ShippingUnit, replica: Int)
    /// Note the unit with its new generation, before anything of it is sent.
    case renew(ShippingUnit)
    /// Send ``Input/tick`` at a time.
    case wake(Duration)
    /// Note that the shard has the unit.
    case confirm(ShippingUnit)
  }

  private enum State: Sendable {
    case idle
    case inserting(ShippingUnit)
    case looking(ShippingUnit)
    /// Waits before it looks again.
    case resting(ShippingUnit, until: Duration)
  }

  /// The time before the second attempt, and the longest one between attempts. Attempts never end.
  private static let (firstRest, longestRest): (Duration, Duration) = (.seconds(1), .seconds(60))

  private let replicas: Int
  /// The replica to ask next, by its place in the list.
  package private(set) var replica: Int
  private var state = State.idle
  private var waiting: [ShippingUnit] = []
  /// The failures of the current unit.
  private var failures = 0
  private var chance: FastGenerator

  /// The reason why the current unit is not confirmed yet; `nil` if nothing failed.
  package private(set) var problem: ClickHouseError?

  /// - Parameter first: The replica to begin with, by its place in the list.
  package init(replicas: Int, first: Int = 0, seed: UInt64) {
    self.replicas = max(1, replicas)
    replica = first
    chance = FastGenerator(seed: seed)
  }

  /// The units that are not confirmed.
  package var unconfirmed: [ShippingUnit] { [current].compactMap { $0 } + waiting }

  private var current: ShippingUnit? {
    switch state {
    case .idle: nil
    case .inserting(let unit), .looking(let unit), .resting(let unit, _): unit
    }
  }

  package mutating func handle(_ input: Input, now: Duration) -> [Action] {
    switch input {
    case .add(let units):
      waiting += units
      if case .idle = state { return begin() }
      return []
    case .tick:
      guard case .resting(let unit, let end) = state else { return [] }
      return end <= now ? look(unit) : [.wake(end)]
    case .outcome(let outcome): return settle(outcome, now: now)
    }
  }

  private mutating func settle(_ outcome: Outcome, now: Duration) -> [Action] {
    switch (state, outcome) {
    case (.inserting(let unit), .inserted): return confirm(unit)
    case (.looking(let unit), .found(let content)) where content == unit.content: return confirm(unit)
    case (.looking(let unit), .found(.empty)): return insert(unit)
    case (.looking(var unit), .found):
      // The manifest notes the generation before anything of it is sent. Otherwise a restarted server would send a block that
      // ClickHouse ignores.
      unit.generation += 1
      return [.renew(unit)] + insert(unit)
    case (.inserting(let unit), .failed(let error)), (.looking(let unit), .failed(let error)):
      problem = error
      replica = (replica + 1) % replicas
      return rest(unit, now: now)
    // No such action is under way.
    default: return []
    }
  }

  private mutating func begin() -> [Action] {
    guard let unit = waiting.first else { return [] }
    waiting.removeFirst()
    return unit.mayBeThere ? look(unit) : insert(unit)
  }

  private mutating func insert(_ unit: ShippingUnit) -> [Action] {
    // All of its rows were deleted at home.
    guard unit.content.rows > 0 else { return confirm(unit) }
    state = .inserting(unit)
    return [.insert(unit, replica: replica)]
  }

  private mutating func look(_ unit: ShippingUnit) -> [Action] {
    state = .looking(unit)
    return [.look(unit, replica: replica)]
  }

  private mutating func confirm(_ unit: ShippingUnit) -> [Action] {
    (state, failures, problem) = (.idle, 0, nil)
    return [.confirm(unit)] + begin()
  }

  private mutating func rest(_ unit: ShippingUnit, now: Duration) -> [Action] {
    let longest = min(Self.firstRest * (1 << min(failures, 6)), Self.longestRest)
    failures += 1
    // Shards that failed together don't come back together.
    let end = now + longest * Double.random(in: 0.5...1, using: &chance)
    state = .resting(unit, until: end)
    return [.wake(end)]
  }
}
