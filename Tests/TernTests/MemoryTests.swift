import Foundation
import TernDelivery
import TernEvents
import TernTestSupport
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(30))) struct `Delivery memory` {
  private let boot = "11111111-2222-4333-8444-555555555555"
  private let wall = Timestamp(millisecondsSince1970: 1_767_225_600_000)

  private func memory(after wallStep: Duration, uptimeStep: Duration, sameBoot: Bool = true) -> DeliveryMemory {
    let then = DeliveryMemory(retryAfterDeadline: .seconds(1600), bytesLimit: 1000, isCircuitOpen: true)
    let stored = StoredMemory(then, wallTime: wall, uptime: .seconds(1000), boot: boot)
    return stored.memory(
      wallTime: wall + wallStep, uptime: sameBoot ? .seconds(1000) + uptimeStep : uptimeStep,
      boot: sameBoot ? boot : "22222222-2222-4333-8444-555555555555", longestWait: .seconds(86_400))
  }

  @Test func `a wait continues where it was, whatever the wall clock does`() {
    for jump in [Duration.seconds(100), .seconds(-400 * 86_400), .seconds(400 * 86_400)] {
      #expect(memory(after: jump, uptimeStep: .seconds(100)).retryAfterDeadline == .seconds(1600))
    }
    #expect(memory(after: .seconds(600), uptimeStep: .seconds(600)).retryAfterDeadline == nil)
  }

  @Test func `the wall clock determines the rest of a wait after a boot`() {
    #expect(memory(after: .seconds(100), uptimeStep: .seconds(20), sameBoot: false).retryAfterDeadline == .seconds(520))
    #expect(memory(after: .seconds(700), uptimeStep: .seconds(20), sameBoot: false).retryAfterDeadline == nil)
    let back = memory(after: .seconds(-10 * 86_400), uptimeStep: .seconds(20), sameBoot: false)
    #expect(
      back.retryAfterDeadline == .seconds(620), "a clock set back is no evidence: the wait starts again, and ends")
  }

  @Test func `a lowered limit is lifted after a week`() {
    #expect(memory(after: .seconds(6 * 86_400), uptimeStep: .seconds(6 * 86_400)).bytesLimit == 1000)
    #expect(memory(after: .seconds(8 * 86_400), uptimeStep: .seconds(8 * 86_400)).bytesLimit == nil)
  }

  @Test func `saving other values does not prolong the week`() {
    var memory = DeliveryMemory(bytesLimit: 1000, limitedSince: .seconds(1000))
    for day in 1...8 {
      let stored = StoredMemory(
        memory, wallTime: wall + .seconds(86_400 * (day - 1)), uptime: .seconds(1000), boot: "boot \(day)")
      memory = stored.memory(
        wallTime: wall + .seconds(86_400 * day), uptime: .seconds(1000), boot: "boot \(day + 1)",
        longestWait: .seconds(86_400))
      #expect(memory.bytesLimit == (day < 7 ? 1000 : nil), "day \(day)")
    }
  }

  @Test func `no file content prevents a launch or makes it wait past the maximum`() {
    for number in [Int64.min, -1, 0, 1, Int64.max] {
      var stored = StoredMemory(DeliveryMemory(), wallTime: wall, uptime: .zero, boot: nil)
      stored.time = number
      stored.uptime = number
      stored.retryAfterRemaining = number
      stored.bytesLimit = Int(clamping: number)
      stored.limitAge = number
      stored.failedHealthProbes = Int(clamping: number)
      stored.failedTrials = Int(clamping: number)
      stored.failedEvents = Int(clamping: number)
      for boot in [boot, nil] {
        stored.boot = boot
        let memory = stored.memory(wallTime: wall, uptime: .seconds(5), boot: self.boot, longestWait: .seconds(60))
        #expect((memory.retryAfterDeadline ?? .zero) <= .seconds(65))
        var machine = DeliveryMachine(policy: Policy(), generator: FastGenerator(seed: 1), memory: memory)
        #expect(machine.policy == Policy())
        #expect(!machine.handle(.launched, waiting: .init(normal: 1), now: .seconds(5)).isEmpty)
      }
    }
  }

  @Test func `a Retry-After survives a relaunch, for critical events too`() async throws {
    let harness = try TestHarness(
      transport: ScriptedTransport(answers: [.status(429, headers: ["Retry-After": "600"])]))
    let first = try harness.client { $0.sessions = .manual }
    first.track("A", priority: .critical)
    await first.waitForStatus { $0.lastError != nil }
    await first.shutdown()
    harness.clock.advance(by: .seconds(100))
    let second = try harness.client { $0.sessions = .manual }
    second.track("B", priority: .critical)
    await harness.clock.sleeping(until: .seconds(1600))
    #expect(harness.transport.requests.count == 1)
    guard case .failed = await second.flush() else {
      Issue.record("a flush does not override the wait")
      return
    }
    harness.clock.advance(by: .seconds(500))
    await second.waitForStatus { $0.delivered == 2 }
    #expect(harness.transport.received.names == ["A", "B"])
    await second.shutdown()
    let left = try FileManager.default.contentsOfDirectory(atPath: harness.directory.path)
    #expect(!left.contains("delivery.json"), "a wait that is over is deleted")
  }
}
