import ClickHouse
import Testing

@testable import Shipping

@Suite struct ShardMachineTests {
  private static let units = [unit(1), unit(2)]

  private static func unit(_ number: Int64) -> ShippingUnit {
    ShippingUnit(
      epoch: 1, number: number, segment: 1, ids: number * 100...number * 100 + 9,
      content: UnitContent(rows: 10, checksum: UInt64(number) * 1_000))
  }

  /// A home with its manifest, which survives the home, and a shard.
  private struct World {
    var shard = FakeShard()
    /// The units of the manifest that are not confirmed, by number.
    var open: [Int64: ShippingUnit] = [1: ShardMachineTests.unit(1), 2: ShardMachineTests.unit(2)]
    var confirmed: [ShippingUnit] = []
    var inserts = 0
    var machine = ShardMachine(replicas: 2, seed: 1)
    var now = Duration.zero
    var pending: [ShardMachine.Action] = []

    init() { pending = machine.handle(.add(ShardMachineTests.units), now: now) }

    /// Performs the next action; returns false if there is none.
    mutating func step(_ fault: FakeShard.Fault) -> Bool {
      guard !pending.isEmpty else { return false }
      let error = ClickHouseError(.unreachable, "no answer")
      var outcome: ShardMachine.Outcome?
      switch pending.removeFirst() {
      case .insert(let unit, let replica):
        #expect((0..<2).contains(replica))
        inserts += 1
        outcome = shard.insert(unit, fault) ? .inserted : .failed(error)
      case .look(let unit, _): outcome = shard.look(unit, fault).map { .found($0) } ?? .failed(error)
      case .renew(let unit): open[unit.number] = unit
      case .wake(let time):
        now = time
        pending += machine.handle(.tick, now: now)
      case .confirm(let unit):
        confirmed.append(unit)
        open[unit.number] = nil
      }
      if fault == .kill { restart() } else if let outcome { pending += machine.handle(.outcome(outcome), now: now) }
      return true
    }

    private mutating func restart() {
      machine = ShardMachine(replicas: 2, seed: 2)
      let units = open.values.sorted { $0.number < $1.number }.map {
        ShippingUnit(
          epoch: 1, number: $0.number, generation: $0.generation, segment: $0.segment, ids: $0.ids, content: $0.content,
          mayBeThere: true)
      }
      pending = machine.handle(.add(units), now: now)
    }
  }

  /// Runs until everything is confirmed; `nil` if it never is.
  private func run(_ faults: [FakeShard.Fault]) -> World? {
    var world = World()
    var faults = faults[...]
    for _ in 0..<200 where world.step(faults.popFirst() ?? .none) {}
    return world.pending.isEmpty && world.open.isEmpty ? world : nil
  }

  @Test func `each unit is confirmed once and is there once, after any five faults`() {
    func sequences(_ count: Int) -> [[FakeShard.Fault]] {
      count == 0 ? [[]] : sequences(count - 1).flatMap { start in FakeShard.Fault.allCases.map { start + [$0] } }
    }
    for faults in sequences(5) {
      guard var world = run(faults) else {
        Issue.record("\(faults): not everything was confirmed")
        continue
      }
      #expect(world.confirmed.map(\.number) == [1, 2], "\(faults)")
      world.shard.settle()
      for unit in world.confirmed { world.shard.removeOlder(than: unit) }
      let isRight = world.confirmed.allSatisfy { world.shard.content($0) == $0.content }
      #expect(isRight, "\(faults)")
      #expect(world.shard.rows == 20, "\(faults)")
    }
  }

  @Test func `without a failure nothing is asked but the inserts`() throws {
    let world = try #require(run([]))
    #expect(world.inserts == 2 && world.now == .zero)
  }

  @Test func `after a failure the machine looks before it inserts again, at another replica`() {
    var machine = ShardMachine(replicas: 2, seed: 1)
    let unit = Self.units[0]
    #expect(machine.handle(.add([unit]), now: .zero) == [.insert(unit, replica: 0)])
    let failed = machine.handle(.outcome(.failed(ClickHouseError(.unreachable, "x"))), now: .zero)
    guard case .wake(let end)? = failed.first else {
      Issue.record("\(failed)")
      return
    }
    #expect(end >= .milliseconds(500) && end <= .seconds(1) && machine.problem?.message == "x")
    #expect(machine.handle(.tick, now: end - .milliseconds(1)) == [.wake(end)])
    #expect(machine.handle(.tick, now: end) == [.look(unit, replica: 1)])
    #expect(machine.handle(.outcome(.found(.empty)), now: end) == [.insert(unit, replica: 1)])
    #expect(machine.handle(.outcome(.inserted), now: end) == [.confirm(unit)] && machine.problem == nil)
  }

  @Test func `attempts go on for ever, at most a minute apart`() {
    var machine = ShardMachine(replicas: 3, seed: 7)
    var now = Duration.zero
    var rests: [Duration] = []
    _ = machine.handle(.add([Self.units[0]]), now: now)
    for _ in 0..<200 {
      let actions = machine.handle(.outcome(.failed(ClickHouseError(.refused, "x"))), now: now)
      guard case .wake(let end)? = actions.first else {
        Issue.record("\(actions)")
        return
      }
      rests.append(end - now)
      now = end
      _ = machine.handle(.tick, now: now)
    }
    #expect(rests.max().map { $0 > .seconds(30) && $0 <= .seconds(60) } == true)
    #expect(rests.dropFirst(6).allSatisfy { $0 >= .seconds(30) })
    #expect(machine.unconfirmed == [Self.units[0]])
  }

  @Test func `if a part of a unit is there, its rows are sent as another generation`() {
    var machine = ShardMachine(replicas: 1, seed: 1)
    let old = Self.units[0]
    let unit = ShippingUnit(
      epoch: 1, number: old.number, segment: old.segment, ids: old.ids, content: old.content, mayBeThere: true)
    #expect(machine.handle(.add([unit]), now: .zero) == [.look(unit, replica: 0)])
    let more = UnitContent(rows: 11, checksum: 1_100)
    var next = unit
    next.generation = 1
    #expect(machine.handle(.outcome(.found(more)), now: .zero) == [.renew(next), .insert(next, replica: 0)])
  }

  @Test func `a unit of which all rows were deleted needs no insert`() {
    var machine = ShardMachine(replicas: 1, seed: 1)
    let unit = ShippingUnit(epoch: 1, number: 1, segment: 1, ids: 1...9, content: .empty)
    #expect(machine.handle(.add([unit]), now: .zero) == [.confirm(unit)])
  }
}
