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
