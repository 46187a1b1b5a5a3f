import TernEvents
import Testing
import Warehouse

@testable import HTTP
@testable import Ingestion

/// The limits of apps and addresses, as values.
@Suite struct UsageMeterTests {
  private static let limits = UsageLimits(
    requestsPerSecond: 10, eventsPerSecond: 100, bytesPerDay: 86_400_000, installsPerDay: 1_000)
  private static let app = RequestOwner.app(1)
  private static let address = RequestOwner.client("192.0.2.1")

  private func refusal(_ meter: inout UsageMeter, _ owners: [RequestOwner], at now: Duration) -> UsageMeter.Refusal? {
    do throws(UsageMeter.Refusal) {
      try meter.admit(owners.map { ($0, Self.limits) }, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test func `an owner has a minute's requests at once, then as many as its limit, and others are not affected`() {
    var meter = UsageMeter()
    func admitted(in seconds: ClosedRange<Int>, perSecond: Int) -> Int {
      var count = 0
      for second in seconds {
        for part in 0..<perSecond {
          let now = Duration.seconds(second) + .seconds(1) * part / perSecond
          if refusal(&meter, [Self.app, Self.address], at: now) == nil { count += 1 }
        }
      }
      return count
    }
    let burst = admitted(in: 0...9, perSecond: 100)
    #expect((600...700).contains(burst), "\(burst)")
    let sustained = admitted(in: 100...199, perSecond: 100)
    #expect((1_590...1_610).contains(sustained), "\(sustained)")
    #expect(refusal(&meter, [.app(2), .client("192.0.2.2")], at: .seconds(199)) == nil)
    // What is refused doesn't count, so the owner is free again as soon as the excess has drained.
    let last = refusal(&meter, [Self.app], at: .seconds(200))
    #expect(last.map { $0.wait <= .seconds(1) && $0.kind == .requests && $0.owner == Self.app } ?? true)
    #expect(refusal(&meter, [Self.app], at: .seconds(202)) == nil)
  }

  @Test func `a request of any size is admitted when there is room, and its excess is waited for`() {
    for (use, kind, wait) in [
      (UsageMeter.Use(events: 16_000), UsageLimits.Kind.events, 100),
      (.init(bytes: 86_400_000 + 50_000), .bytes, 50), (.init(installs: 1_001), .installs, 86),
    ] {
      var meter = UsageMeter()
      #expect(refusal(&meter, [Self.app], at: .zero) == nil)
      meter.charge(use, to: [(Self.app, Self.limits)], now: .zero)
      let refused = refusal(&meter, [Self.app], at: .zero)
      #expect(refused?.kind == kind && refused.map { Int($0.wait / .seconds(1)) } == wait, "\(kind)")
      #expect(refusal(&meter, [Self.app], at: .seconds(wait + 1)) == nil)
    }
  }

  @Test func `nobody fills more than a quarter of the free disk in a day`() {
    var meter = UsageMeter()
    meter.freeBytes = 4_000_000
    meter.charge(.init(bytes: 999_999), to: [(Self.app, Self.limits)], now: .zero)
    #expect(refusal(&meter, [Self.app], at: .zero) == nil)
    meter.charge(.init(bytes: 1), to: [(Self.app, Self.limits)], now: .zero)
    #expect(refusal(&meter, [Self.app], at: .zero)?.kind == .bytes)
  }

  @Test func `a flood from many addresses takes bounded memory, and forgives none of the apps`() {
    var meter = UsageMeter(capacity: 100)
    meter.charge(.init(events: 6_000), to: [(Self.app, Self.limits)], now: .zero)
    for number in 0..<10_000 { #expect(refusal(&meter, [.client("\(number)")], at: .zero) == nil) }
    #expect(meter.owners <= 100)
    #expect(refusal(&meter, [Self.app], at: .zero)?.kind == .events)
  }

  @Test func `extreme sizes and limits do not trap`() {
    let limits = UsageLimits(requestsPerSecond: 1, eventsPerSecond: .max, bytesPerDay: .max, installsPerDay: .max)
    var meter = UsageMeter()
    for use in [
      UsageMeter.Use(events: .max, bytes: .max, installs: .max), .init(events: .min, bytes: .min, installs: -1),
    ] {
      for now in [Duration.zero, .seconds(1 << 40), .seconds(-5)] {
        meter.charge(use, to: [(Self.app, limits), (Self.address, Self.limits)], now: now)
        _ = refusal(&meter, [Self.app, Self.address], at: now)
      }
    }
  }
}
