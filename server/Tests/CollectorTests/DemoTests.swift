import TernEvents
import Testing

@testable import TernCommand

@Suite struct DemoTests {
  private static let now = Timestamp(millisecondsSince1970: 1_777_678_200_000)

  @Test func `a seed decides on every hit of the demo`() {
    let hits = DemoTelevisions.deliveries(days: 30, until: Self.now, seed: 7)
    #expect(!hits.isEmpty)
    #expect(hits == DemoTelevisions.deliveries(days: 30, until: Self.now, seed: 7))
    #expect(hits != DemoTelevisions.deliveries(days: 30, until: Self.now, seed: 8))
  }

  @Test func `a day of live play has as many events as a usual day, hour by hour`() {
    let counts = Dictionary(uniqueKeysWithValues: (0..<24).map { ($0, 7 * (10 + 2 * abs($0 - 12))) })
    let pace = DemoPace(counts: counts, days: 7)
    var (time, hourly) = (0, Array(repeating: 0.0, count: 24))
    while time < 86_400_000 {
      hourly[time / 3_600_000] += 1
      time += pace.crowd[time / 3_600_000]
    }
    let length = Duration.seconds(113)
    let show = Double(length.components.seconds) * 1_000 / Double(pace.show(length))
    #expect(abs(hourly.reduce(0, +) + show - pace.daily) < pace.daily * 0.03)
    for (hour, events) in hourly.enumerated() { #expect(abs(events - pace.hourly[hour] * 0.875) <= 2, "\(hour)") }
  }

  @Test func `a demo without a history still plays, slowly`() {
    let pace = DemoPace(counts: [:], days: 7)
    #expect(pace.crowd == Array(repeating: 3_600_000, count: 24))
    #expect(pace.show(.seconds(100)) == 100_000)
  }

  @Test func `hits of the demo arrive in order, none in the future, and some after a day`() {
    let hits = DemoTelevisions.deliveries(days: 90, until: Self.now, seed: 2_026)
    #expect(hits.map(\.received) == hits.map(\.received).sorted())
    #expect(hits.allSatisfy { $0.received < Self.now.millisecondsSince1970 })
    let delays = hits.flatMap { $0.body.split(separator: "&") }.filter { $0.hasPrefix("qt=") }
      .compactMap { Int64($0.dropFirst(3)) }
    #expect(delays.allSatisfy { $0 >= 0 })
    let late = delays.count { $0 > 86_400_000 }
    #expect(late > 0 && late < delays.count / 5)
  }
}
