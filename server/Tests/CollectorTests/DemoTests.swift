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
