import Testing

@testable import ErrorGrouping

@Suite struct HostileTests {
  /// Pieces that the readers look for, so that random texts reach them.
  private static let pieces = [
    "at ", "  at ", "(+0x", ")", "(", "[ab]", " [", "]", "0x10", "#0 ", "#00 pc ", " + ", "+0x", "Thread 0:",
    "(crashed)", ":", "\n", "\t",
    "Caused by: ", " ---> ", "Suppressed: ", "File \"", "\", line 3", ", in ", "goroutine 1 [running]:", "main.go:3",
    "3: ", "3 App ",
    "<", ">", "<anonymous>", "closure #1 ", " in ", " -> ", "::", "operator", "$$Lambda$", "$1", "`1", "{closure#",
    "(unknown context at ",
    "_ZN", "9999999999999999999", "specialized ", "-[A b:]", "@http://x.js:1", " (at ", "Error Domain=", " Code=",
    "error ", "）", "（", "é",
    "\u{0}", "\u{1f}", "\u{2028}", "\r\n", "\u{301}", "App", "libc.so.6", "abort", "main", " error 4.)", "!", "/", "\\",
    ".", "~", "*",
  ]

  @Test func `random texts never trap, and their signatures survive storing`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = Random(state: seed)
    func text(_ count: Int) -> String {
      (0..<Int.random(in: 0...count, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? "" }
        .joined()
    }
    for round in 0..<1_000 {
      let error = GroupingError(
        isCrash: Bool.random(using: &random), type: text(4), message: text(20), stack: text(200),
        fingerprint: round % 10 == 0 ? text(5) : "")
      let signature = Signature(error)
      #expect(signature.text.utf8.count <= 4_096 && signature.hash(type: "", place: "") != 0)
      #expect(signature.text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      #expect(Signature(text: signature.text) == signature, "\(error)")
      #expect(Signature(error) == signature)
      let key = GroupKey(signature) { _ in [SymbolizedFunction(name: error.message, file: error.type)] }
      #expect(key.value != 0 && GroupKey(signature).value == GroupKey(signature).value)
      if let damaged = Signature(text: signature.text + text(3)) { #expect(Signature(text: damaged.text) == damaged) }
    }
  }

  @Test(arguments: [
    "", "2 crash", "1 crash\n", "1 crash\nshape ", "1 error\noffset 1", "1 error\nat f\noffset 01", "1 fingerprint",
    "1 crash\nwhat x",
  ])
  func `other texts are no signatures`(text: String) { #expect(Signature(text: text) == nil) }

  @Test(arguments: [
    "at ", "App(+0x1) [ab]\n", "(", "<", "closure #1 in ", "Caused by: E\n", "at a.b(", "Thread 1 (crashed):\n", "[",
    "_ZN1a", "@", "$1",
    "  at f()\n", "File \"", "{closure#", "(unknown context at ", "::{{closure}}", " ---> ", "0x1 ", "x",
    "generic specialization <a> of ",
  ]) func `a mebibyte takes linear time`(piece: String) {
    let long = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
    let time = ContinuousClock().measure {
      let signature = Signature(GroupingError(isCrash: true, type: long, message: long, stack: long, fingerprint: ""))
      _ = GroupKey(signature) { _ in [SymbolizedFunction(name: long, file: long)] }
    }
    print("\(piece.debugDescription): \(time)")
    // Milliseconds in a release, and far less than a quadratic algorithm needs anywhere.
    #expect(time < .seconds(10))
  }
}

/// SplitMix64.
private struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
