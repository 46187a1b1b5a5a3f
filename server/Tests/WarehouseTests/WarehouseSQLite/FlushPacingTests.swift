import Testing

@testable import WarehouseSQLite

/// The times of flushes.
@Suite struct FlushPacingTests {
  private let start = ContinuousClock.now

  @Test func `a flush is due an interval after the first row, whatever arrives later`() {
    var pacing = FlushPacing(interval: .milliseconds(400))
    #expect(pacing.due == nil)
    pacing.needsFlush(at: start)
    pacing.needsFlush(at: start + .milliseconds(300))
    #expect(pacing.due == start + .milliseconds(400))
  }

  @Test func `short flushes don't delay the next one, and long ones by ten times their time, up to a limit`() {
    for (flush, delay) in [(1, 400), (40, 400), (100, 1_000), (300, 3_000), (2_000, 4_000)] {
      var pacing = FlushPacing(interval: .milliseconds(400))
      pacing.needsFlush(at: start)
      let end = start + .milliseconds(flush)
      pacing.flushed(from: start, to: end)
      #expect(pacing.due == nil)
      pacing.needsFlush(at: end)
      #expect(pacing.due == end + .milliseconds(delay), "\(flush)")
    }
  }

  @Test func `a failed flush is repeated after a second`() {
    var pacing = FlushPacing(interval: .milliseconds(400))
    pacing.needsFlush(at: start)
    pacing.failed(at: start + .seconds(5))
    pacing.needsFlush(at: start + .seconds(5))
    #expect(pacing.due == start + .seconds(6))
  }
}
