import TernEvents
import Testing

@testable import TernServer

@Suite struct `The clock for sealing days` {
  private let noon = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  /// The results of a check every half minute, with these errors of the wall clock.
  private func looks(_ offsets: [Duration]) -> [Bool] {
    var clock = SteadyClock()
    return offsets.enumerated().map { index, offset in
      let uptime = Duration.seconds(30) * index
      return clock.isSteady(wall: noon + uptime + offset, uptime: .seconds(77) + uptime)
    }
  }

  @Test func `is trusted after ten minutes without a jump`() {
    #expect(looks(Array(repeating: .zero, count: 23)) == Array(repeating: false, count: 20) + [true, true, true])
  }

  @Test(arguments: [Duration.seconds(3 * 86_400), .seconds(-3 * 86_400), .seconds(6), .seconds(-6)])
  func `is not trusted for ten minutes after a jump in either direction`(jump: Duration) {
    let before = Array(repeating: Duration.zero, count: 21)
    let found = looks(before + [jump] + Array(repeating: .zero, count: 21))
    #expect(found[20])
    #expect(found[21...41].allSatisfy { !$0 } && found[42])
    #expect(looks(before + Array(repeating: jump, count: 21)).last == true)
  }

  @Test func `may be corrected in small steps`() {
    #expect(looks((0..<40).map { .milliseconds(100) * $0 }).last == true)
  }

  @Test func `handles the most extreme times`() {
    var clock = SteadyClock()
    for time in [Int64.min, .max, 0, .min] {
      let isSteady = clock.isSteady(wall: Timestamp(millisecondsSince1970: time), uptime: .zero)
      #expect(!isSteady)
    }
  }
}
