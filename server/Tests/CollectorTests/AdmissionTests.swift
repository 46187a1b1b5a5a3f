import Testing

@testable import Collector

/// The budget of bytes.
@Suite struct AdmissionTests {
  @Test func `the budget is never exceeded, whatever is asked for`() {
    for maximum in [0, 1, 10, 1_000] {
      var admission = Admission(maximumBytes: maximum)
      for count in [0, 1, 2, 5, 10, 999, 1_000, 1_001, .max, -1, .min] {
        let before = admission.bytes
        let isAdmitted = admission.admit(count)
        #expect(isAdmitted == (count >= 0 && count <= maximum - before))
        #expect(admission.bytes == (isAdmitted ? before + count : before))
        #expect(admission.bytes <= maximum)
      }
    }
  }

  @Test func `a reservation gives back what it holds, after growing and shrinking too`() throws {
    let gate = AdmissionGate(maximumBytes: 100)
    do {
      let reservation = try #require(gate.reserve(60))
      #expect(gate.reserve(41) == nil)
      reservation.shrink(to: 10)
      #expect(gate.bytes == 10)
      #expect(reservation.grow(to: 5))
      #expect(gate.bytes == 10)
      #expect(reservation.grow(to: 100))
      #expect(gate.bytes == 100)
      #expect(!reservation.grow(to: 101))
      #expect(gate.bytes == 100)
    }
    #expect(gate.bytes == 0)
  }

  @Test func `there is room for what would be admitted, and for anything in an untouched budget`() {
    for (maximum, taken, count, expected) in [
      (100, 0, 100, true), (100, 1, 99, true), (100, 1, 100, false), (100, 0, 1_000, true), (100, 1, 1_000, false),
      (0, 0, 10, true),
    ] {
      var admission = Admission(maximumBytes: maximum)
      let isAdmitted = admission.admit(taken)
      #expect(isAdmitted)
      #expect(admission.hasRoom(for: count) == expected, "\(maximum) \(taken) \(count)")
    }
  }

  @Test func `after a failure one of those who ask tries, the others are told to wait`() {
    var readiness = Readiness(memory: .seconds(10), pause: .seconds(1))
    func outlook(_ now: Duration) -> Readiness.Outlook { readiness.outlook(at: now) }
    #expect(outlook(.zero) == .good)
    readiness.failed(at: .seconds(5))
    #expect(outlook(.milliseconds(5_999)) == .bad)
    #expect(outlook(.seconds(6)) == .mustTry)
    #expect(outlook(.seconds(6)) == .bad)
    readiness.failed(at: .seconds(8))
    #expect(outlook(.milliseconds(8_999)) == .bad)
    // Time alone does not make it good.
    #expect(outlook(.seconds(100_000)) == .mustTry)
    readiness.succeeded()
    #expect(outlook(.seconds(100_000)) == .good)
  }

  @Test func `a failure to store is remembered for a while, or until something is stored`() {
    var readiness = Readiness(memory: .seconds(10))
    #expect(readiness.isReady(at: .zero))
    readiness.failed(at: .seconds(5))
    #expect(!readiness.isReady(at: .seconds(14)))
    #expect(readiness.isReady(at: .seconds(15)))
    readiness.failed(at: .seconds(20))
    readiness.succeeded()
    #expect(readiness.isReady(at: .seconds(20)))
  }
}
