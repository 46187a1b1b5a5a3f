import TernDelivery
import TernEvents
import Testing

@Suite struct `A queue that hands out no more events` {
  private func startedBatch(_ actions: [DeliveryMachine.Action]) -> DeliveryMachine.BatchID? {
    actions.lazy.compactMap { action in
      if case .startBatch(let id, _, _) = action { id } else { nil }
    }.first
  }

  @Test func `gets no request until a batch is settled`() throws {
    var machine = DeliveryMachine(policy: Policy(), generator: FastGenerator(seed: 1))
    let first = try #require(startedBatch(machine.handle(.appended, waiting: .init(normal: 100), now: .zero)))
    let full = DeliveryMachine.Waiting(normal: 50, isClaimLimitReached: true)
    let started = DeliveryMachine.Input.batchStarted(first, events: .init(normal: 50), bytes: 1000)
    #expect(startedBatch(machine.handle(started, waiting: full, now: .zero)) == nil)
    let ended = DeliveryMachine.Input.requestEnded(first, .acknowledged(rejected: []))
    let actions = machine.handle(ended, waiting: full, now: .seconds(1))
    #expect(actions == [.settle(first, .remove(rejecting: []))])
    #expect(startedBatch(machine.handle(.batchSettled, waiting: .init(normal: 50), now: .seconds(1))) != nil)
  }

  @Test func `causes no pause if the limit shows only at the claim`() throws {
    var machine = DeliveryMachine(policy: Policy(), generator: FastGenerator(seed: 1))
    let first = try #require(startedBatch(machine.handle(.appended, waiting: .init(normal: 100), now: .zero)))
    let started = DeliveryMachine.Input.batchStarted(first, events: .init(normal: 50), bytes: 1000)
    let second = try #require(startedBatch(machine.handle(started, waiting: .init(normal: 40), now: .zero)))
    let full = DeliveryMachine.Waiting(normal: 40, isClaimLimitReached: true)
    #expect(startedBatch(machine.handle(.nothingToClaim(second), waiting: full, now: .zero)) == nil)
    let ended = DeliveryMachine.Input.requestEnded(first, .acknowledged(rejected: []))
    let actions = machine.handle(ended, waiting: full, now: .seconds(1))
    #expect(actions == [.settle(first, .remove(rejecting: []))])
    #expect(startedBatch(machine.handle(.batchSettled, waiting: .init(normal: 40), now: .seconds(1))) != nil)
  }
}
