import ErrorGrouping
import Testing

/// Errors of apps whose names R8 has shortened, before and after mappings.
@Suite struct ShortenedNameTests {
  private static let one = "1.2 (34)"
  private static let two = "1.3 (40)"

  /// The names in mappings of two builds, by build, call and line.
  private static let names: [String: [SymbolizedFunction]] = [
    "\(one) d.a.a.a:5": [
      SymbolizedFunction(name: "com.example.radio.Decoder.decode", file: "Codecs.kt"),
      SymbolizedFunction(name: "com.example.radio.Player.play", file: "Player.kt"),
    ],
    "\(two) d.b.a.c:9": [
      SymbolizedFunction(name: "com.example.radio.Decoder.decode", file: "Codecs.kt"),
      SymbolizedFunction(name: "com.example.radio.Player.play", file: "Player.kt"),
    ],
    "\(one) d.a.a.a:6": [SymbolizedFunction(name: "com.example.radio.Player.stop", file: "Player.kt")],
    "\(one) d.a.a.b:1": [SymbolizedFunction(name: "okhttp3.internal.Http.call", file: "Http.kt")],
    "\(two) d.b.a.d:1": [SymbolizedFunction(name: "okhttp3.internal.Other.call", file: "Other.kt")],
    "\(one) d.a.a.e.<init>:0": [SymbolizedFunction(name: "com.example.radio.PlayerError.<init>")],
    "\(two) d.b.a.f.<init>:0": [SymbolizedFunction(name: "com.example.radio.PlayerError.<init>")],
  ]

  private func signature(_ stack: String, type: String = "d.a.a.e", build: String) -> Signature {
    Signature(GroupingError(isCrash: true, type: type, message: "m", stack: stack, appBuild: build))
  }

  private func key(_ signature: Signature) -> GroupKey {
    GroupKey(signature) { Self.names["\($0.buildIdentifier) \($0.method):\($0.offset)"] }
  }

  @Test func `two builds of a crash are one group with mappings, and lines never count`() throws {
    let first = signature("\tat d.a.a.b(SourceFile:1)\n\tat d.a.a.a(SourceFile:5)\n", build: Self.one)
    let second = signature(
      "\tat d.b.a.d(SourceFile:1)\n\tat d.b.a.c(SourceFile:9)\n", type: "d.b.a.f", build: Self.two)
    #expect(GroupKey(first) != GroupKey(second))
    #expect(key(first) == key(second))
    #expect(key(first).place == "com.example.radio.Decoder.decode")
    let other = signature("\tat d.a.a.b(SourceFile:1)\n\tat d.a.a.a(SourceFile:6)\n", build: Self.one)
    #expect(GroupKey(other) == GroupKey(first), "without a mapping, lines don't count")
    #expect(key(other) != key(first), "one shortened name stands for two methods")
    for signature in [first, second, other] { #expect(Signature(text: signature.text) == signature) }
  }

  @Test(arguments: [
    "at d.a.a.a(SourceFile:5)", "at d.a.a.a(Unknown Source:5)", "at d.a.a.a (:5)", "at d.a.a.a(r8-map-id-0123abc:5)",
    "at d.a.a.a(PG:5)", "at d.a.a.a(Player.java:5)", "at com.example.Player.a(Player.kt:5)",
    "at com.example.Player.play(SourceFile:5)", "at com.example.a.run(Player.java:5)",
    "at com.example.Player$a.onClick(Player.java:5)",
  ])
  func `a call that may be shortened has its build, line and name as sent`(_ line: String) {
    let found = signature("\t\(line)\n", build: Self.one)
    let call = found.positions.last
    #expect(call?.offset == 5 && call?.buildIdentifier == Self.one && found.text.contains("\nbuild \(Self.one)\n"))
    #expect(line.hasPrefix("at \(call?.method ?? "?")"))
    #expect(GroupKey(found) == GroupKey(signature("\t\(line)\n", build: "")), "symbols alone make a difference")
    #expect(signature("\t\(line)\n", build: "").positions.isEmpty)
  }

  private static let unknownLines: [(line: String, expected: UInt64)] = [
    ("at d.a.a.a(SourceFile)", 0), ("at d.a.a.a(Unknown Source)", 0), ("at d.a.a.a (SourceFile:-1)", 0),
    ("at d.a.a.a (:-1)", 0), ("at d.a.a.a(SourceFile:99999999999)", 999_999_999),
  ]

  @Test(arguments: unknownLines)
  func `a line may be unknown`(_ line: String, _ expected: UInt64) {
    #expect(signature("\t\(line)\n", build: Self.one).positions.last?.offset == expected)
  }

  @Test(arguments: [
    "at com.example.Player.play(Player.java:5)", "at com.example.PlayerKt.play(Player.kt:5)",
    "at com.example.Player$1.play(Player.java:5)",
    "at android.view.View.performClick(Unknown Source:5)", "at java.lang.Thread.run(SourceFile:5)",
    "at e.n (index.android.bundle:1:5)", "at e.n (native)", "at Array.forEach (<anonymous>)",
    "at Foo.bar (foo.dart:1:2)",
    "at App.Player.Play () [0x00001] in <abc>:0", "at App.Player.Play()", "at play (SourceFile:5)",
    "at e.n (https://example.com/app.js:1:2)", "0  App  0x1000 App.Player.play + 5",
  ])
  func `other calls have no place in a mapping`(_ line: String) {
    let found = signature("\t\(line)\n", type: "Fault", build: Self.one)
    #expect(found.positions.isEmpty && !found.text.contains("\nbuild"))
    #expect(found == signature("\t\(line)\n", type: "Fault", build: Self.two))
  }

  @Test(arguments: [
    ("d.a.a.e", true), ("com.example.Player$a", true), ("com.example.Player$1", false), ("SIGILL", false),
    ("java.io.IOException", false), ("NSException", false), ("E", false),
  ])
  func `a type that may be shortened has the app's build, also if no call is`(_ type: String, _ isStored: Bool) {
    let found = signature("\tat com.example.Player.play(Player.java:5)\n", type: type, build: Self.one)
    #expect(found.text.contains("\nbuild \(Self.one)\n") == isStored && found.positions.isEmpty != isStored)
  }

  @Test func `a build has a name only with its version`() {
    #expect(appBuildName(version: "1.2", build: "34") == Self.one)
    #expect(appBuildName(version: "", build: "34").isEmpty && appBuildName(version: "1.2", build: "").isEmpty)
    #expect(appBuildName(version: "1\n2", build: "3") == "1 2 (3)")
    #expect(appBuildName(version: String(repeating: "é", count: 300), build: "3").utf8.count <= 200)
  }
}
