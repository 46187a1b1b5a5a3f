import TernEvents
import Testing
import Warehouse

/// The order of app versions, and the decision that a closed error came back.
@Suite struct AppVersionTests {
  @Test func `versions are in the order of releases`() {
    let order = [
      "", "0", "0.9.9-rc1", "0.9.9", "1-alpha", "1-alpha.1", "1-alpha.beta", "1.0b2", "1.0B10", "1-beta.2", "1-beta.11",
      "1.0 beta 12", "1-rc1", "1.0.0-rc2", "1_rc10", "1.0rc11 (3)", "1",
      "1 (7)", "1.0 (12)", "1.0.1", "1.2", "1.10", "1.10 (2.9)", "1.10 (2.10)", "1.18446744073709551616",
      "1.99999999999999999999", "1.a", "1.b", "1.b.1", "2", "10", "🚀",
    ]
    for (index, left) in order.enumerated() {
      for (other, right) in order.enumerated() {
        #expect((AppVersion(left) < AppVersion(right)) == (index < other), "\(left) < \(right)")
      }
    }
  }

  @Test(arguments: [
    ("1", "1.0.0"), ("01.2", "1.2"), ("1.2+abc", "1.2"), ("1.2-rc1+5", "1.2-rc1"), ("1 (07)", "1 (7)"),
    ("1.0b2", "1-B.2"),
  ])
  func `zeros and build metadata make no difference`(left: String, right: String) {
    #expect(AppVersion(left) == AppVersion(right))
    #expect(!AppVersion(left).isLater(than: AppVersion(right)) && !AppVersion(right).isLater(than: AppVersion(left)))
  }

  @Test(arguments: 0..<40) func `the order is strict and transitive for any texts`(seed: Int) {
    var generator = VersionGenerator(state: UInt64(seed))
    let pieces = [
      "1", "2", "0", "10", ".", "-", "+", " (", ")", "a", "🚀", "\u{301}", "", String(repeating: "9", count: 768),
    ]
    let versions = (0..<14).map { _ in
      AppVersion(
        (0..<Int.random(in: 0..<7, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
          .joined())
    }
    for left in versions {
      #expect(!(left < left))
      for middle in versions {
        #expect([left < middle, middle < left, left == middle].count { $0 } == 1)
        for right in versions where left < middle && middle < right { #expect(left < right) }
        #expect(!left.isLater(than: middle) || middle < left)
      }
    }
  }

  @Test func `a version without a build stands for all of its builds, and an empty one for none`() {
    func isLater(_ left: String, _ right: String) -> Bool { AppVersion(left).isLater(than: AppVersion(right)) }
    #expect(!isLater("1.2 (5)", "1.2") && !isLater("1.2", "1.2 (5)"))
    #expect(isLater("1.2 (6)", "1.2 (5)") && isLater("1.3", "1.2 (5)") && isLater("1.3 (1)", "1.2"))
    #expect(!isLater("", "1.2") && !isLater("1.2", "") && !isLater("", ""))
  }

  @Test func `only a closed error opens again, in the earliest version later than the one it was closed in`() {
    func triage(_ status: ErrorStatus, _ version: String, _ versions: [String]) -> ErrorTriage {
      ErrorTriage(
        ErrorState(
          status: status, note: "", version: version, author: "ann",
          changed: .init(millisecondsSince1970: 0)), versions: versions)
    }
    let back = triage(.closed, "1.9", ["1.8", "1.11", "", "1.10", "1.9"])
    #expect(back.status == .open && back.reopenedIn == "1.10")
    #expect(triage(.closed, "1.9", ["1.8", "", "1.9 (3)"]).status == .closed)
    #expect(triage(.closed, "", ["2"]).status == .closed)
    #expect(triage(.ignored, "1.9", ["2"]).status == .ignored)
    #expect(triage(.open, "1.9", ["2"]).reopenedIn == nil)
    #expect(ErrorTriage().status == .open)
  }
}

struct VersionGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
