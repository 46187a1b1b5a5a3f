import Questions
import TernEvents
import Testing

/// Intervals against published examples and against their meaning.
struct EstimateTests {
  private func isNear(_ value: Double?, _ expected: Double, within distance: Double = 0.00006) -> Bool {
    value.map { abs($0 - expected) < distance } ?? false
  }

  @Test(arguments: [
    (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718),
  ])
  func `shares have Wilson's interval, as in Newcombe's examples`(part: Int, whole: Int, low: Double, high: Double) {
    let interval = Share(part, of: whole).interval
    #expect(isNear(interval?.low, low) && isNear(interval?.high, high))
  }

  @Test(arguments: [
    (56, 70, 48, 80, 0.0524, 0.3339), (9, 10, 3, 10, 0.1705, 0.8090), (5, 56, 0, 29, -0.0381, 0.1926),
    (10, 10, 0, 10, 0.6075, 1),
  ])
  func `differences have Newcombe's interval, as in his examples`(
    part: Int, whole: Int, before: Int, all: Int, low: Double, high: Double
  ) {
    let difference = Share(part, of: whole).difference(from: Share(before, of: all))
    #expect(isNear(difference?.interval.low, low) && isNear(difference?.interval.high, high))
  }

  @Test func `a difference is clear if its interval leaves out 0`() {
    #expect(Share(9, of: 10).difference(from: Share(3, of: 10))?.isClear == true)
    #expect(Share(5, of: 56).difference(from: Share(0, of: 29))?.isClear == false)
    #expect(Share(3, of: 10).difference(from: Share(9, of: 10))?.isClear == true)
  }

  @Test func `nothing is known of no users, and little of few`() {
    #expect(Share(0, of: 0).value == nil && Share(0, of: 0).interval == nil)
    #expect(Share(1, of: 2).difference(from: Share(0, of: 0)) == nil)
    #expect(Share(99, of: 99).isFew && !Share(0, of: 100).isFew)
    #expect(Mean(users: 1, sum: 5, squares: 25).interval == nil && Mean(users: 1, sum: 5, squares: 25).value == 5)
    #expect(Mean(users: 0, sum: 0, squares: 0).value == nil)
    #expect(Mean(users: 99, sum: 0, squares: 0).isFew && !Mean(users: 100, sum: 0, squares: 0).isFew)
  }

  @Test func `a mean has the normal interval of its variance`() {
    // 1, 2, 3, 4, 5: mean 3, variance 2.5, standard error 0.7071.
    let mean = Mean(users: 5, sum: 15, squares: 55)
    #expect(isNear(mean.interval?.low, 1.6141) && isNear(mean.interval?.high, 4.3859))
    // Against 2, 2, 2, 2: no variance.
    let difference = mean.difference(from: Mean(users: 4, sum: 8, squares: 16))
    #expect(isNear(difference?.interval.low, -0.3859) && isNear(difference?.interval.high, 2.3859))
    #expect(difference?.isClear == false)
  }

  @Test func `nineteen of twenty intervals have the share that made them`() {
    var generator = FastGenerator(seed: 7)
    for (share, whole) in [(0.5, 40), (0.98, 300), (0.1, 150)] {
      let hits = (0..<2_000).count { _ in
        let part = (0..<whole).count { _ in Double.random(in: 0..<1, using: &generator) < share }
        guard let interval = Share(part, of: whole).interval else { return false }
        return interval.low <= share && share <= interval.high
      }
      #expect((1_850...1_960).contains(hits), "\(share) of \(whole): \(hits)")
    }
  }
}
