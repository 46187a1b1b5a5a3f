import Cryptography
import Testing

/// Compares one-time passwords with the published vectors.
@Suite struct OneTimePasswordTests {
  private let password = OneTimePassword(key: Array("12345678901234567890".utf8))

  @Test func `codes by counter are those of RFC 4226`() {
    #expect(
      (0..<10).map { password.code(ofStep: $0) } == [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ])
  }

  /// The RFC's codes have eight digits, of which apps show the last six.
  @Test(
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
  func `codes by time are those of RFC 6238`(seconds: Int64, code: String) {
    #expect(password.step(of: String(code.suffix(6)), at: seconds, after: 0) == seconds / 30)
  }

  @Test func `the codes before and after count, and no others`() {
    let (now, step) = (Int64(1_111_111_111), Int64(1_111_111_111 / 30))
    for distance in -3...3 as ClosedRange<Int64> {
      let found = password.step(of: password.code(ofStep: step + distance), at: now, after: 0)
      #expect(found == (abs(distance) <= 1 ? step + distance : nil))
    }
    for wrong in ["", "0", "05047", "0504710", "05047x", "14050471"] {
      #expect(password.step(of: wrong, at: now, after: 0) == nil)
    }
  }

  @Test func `a code works once, and earlier ones not after it`() {
    let (now, step) = (Int64(1_111_111_111), Int64(1_111_111_111 / 30))
    #expect(password.step(of: password.code(ofStep: step), at: now, after: step) == nil)
    #expect(password.step(of: password.code(ofStep: step - 1), at: now, after: step) == nil)
    #expect(password.step(of: password.code(ofStep: step + 1), at: now, after: step) == step + 1)
  }
}
