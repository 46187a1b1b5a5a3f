import ErrorGrouping
import Foundation
import TernBase
import Testing

@testable import Symbols

/// Mappings of R8 and ProGuard, and what they say about calls.
struct MappingTests {
  /// A realistic mapping with made-up names.
  static let sample = """
    # compiler: R8
    # compiler_version: 8.5.35
    # pg_map_id: 0123abc
    # common_typos_disable
    com.example.radio.Player -> d.a.a.a:
    # {"id":"sourceFile","fileName":"Player.kt"}
        int volume -> a
        com.example.radio.Source source -> b
        1:1:void <init>(com.example.radio.Source):14:14 -> <init>
        1:4:void play(int):21:24 -> a
        5:5:int com.example.radio.Decoder.decode(byte[]):88:88 -> a
        5:5:void play(int):25 -> a
        6:6:boolean com.example.radio.UtilKt.isReady():7:7 -> a
        6:6:int com.example.radio.Decoder.decode(byte[]):91 -> a
        6:6:void play(int):26 -> a
        void stop() -> b
        void pause():31 -> c
        7:9:void seek(long):40:41 -> d
        1:2:void seek(int) -> d
        void close() -> e
        void close(boolean) -> e
        void open() -> f
        void reopen() -> f
        1:3:void onClick(android.view.View):50:52 -> onClick
          # {"id":"com.android.tools.r8.residualsignature","signature":"(La/b;)V"}
    com.example.radio.Decoder -> d.a.a.b:
    # {"id":"com.android.tools.r8.synthesized"}
    # {"id":"sourceFile","fileName":"Codecs.kt"}
        1:1:int decode(byte[]):88:88 -> a
    com.example.radio.PlayerError -> d.a.a.c:
        1:1:void <init>(java.lang.String):3:3 -> <init>
        2:2:void <init>(java.lang.String,java.lang.Throwable):4:4 -> <init>
    com.example.radio.Kept -> com.example.radio.Kept:

    """

  static func mapping(_ text: String) throws -> Mapping {
    let source = ObjectSource(Array(text.utf8))
    return Mapping(source: source, index: try MappingIndex(source))
  }

  /// The calls at `class.method(file:line)`, as lines.
  private func calls(_ text: String, in mapping: Mapping) throws -> [String] {
    let name = RetracedName(try #require(ManagedCall(text: "at \(text)"), "\(text)"))
    return try mapping.frames(of: [name])[name, default: []].map { frame in
      "\(frame.function)(\(frame.file)\(frame.line > 0 ? ":\(frame.line)" : ""))"
    }
  }

  private static let cases: [(call: String, expected: [String])] = [
    ("d.a.a.a.a(SourceFile:2)", ["Player.play(Player.kt:22)"]),
    // Inlined calls, the innermost first; classes elsewhere have their own files, or are guessed by their names.
    ("d.a.a.a.a(SourceFile:5)", ["Decoder.decode(Codecs.kt:88)", "Player.play(Player.kt:25)"]),
    (
      "d.a.a.a.a(SourceFile:6)",
      ["UtilKt.isReady(Util.kt:7)", "Decoder.decode(Codecs.kt:91)", "Player.play(Player.kt:26)"]
    ),
    ("d.a.a.a.<init>(SourceFile:1)", ["Player.<init>(Player.kt:14)"]),
    // No line of the mapping: the outermost calls agree on a name.
    ("d.a.a.a.a(SourceFile:99)", ["Player.play(Player.kt)"]), ("d.a.a.a.a(Unknown Source)", ["Player.play(Player.kt)"]),
    // Lines are those of the source, unless runtimes count instructions.
    ("d.a.a.a.b(SourceFile:7)", ["Player.stop(Player.kt:7)"]),
    ("d.a.a.a.b(Unknown Source:7)", ["Player.stop(Player.kt)"]),
    ("d.a.a.a.c(SourceFile:7)", ["Player.pause(Player.kt:31)"]),
    // Fewer lines in the source than in the program, and none.
    ("d.a.a.a.d(SourceFile:9)", ["Player.seek(Player.kt:41)"]),
    ("d.a.a.a.d(SourceFile:2)", ["Player.seek(Player.kt:2)"]),
    // Ambiguous: equal names, different names.
    ("d.a.a.a.e(SourceFile:1)", ["Player.close(Player.kt)"]), ("d.a.a.a.f(SourceFile:1)", ["Player.f(Player.kt)"]),
    ("d.a.a.a.onClick(r8-map-id-01:3)", ["Player.onClick(Player.kt:52)"]),
    // A method that isn't listed kept its name.
    ("d.a.a.a.run(SourceFile:3)", ["Player.run(Player.kt:3)"]),
    ("d.a.a.c.a(SourceFile:3)", ["PlayerError.a(PlayerError.java:3)"]),
    ("d.a.a.c.a(Other.kt:3)", ["PlayerError.a(Other.kt:3)"]),
    ("com.example.radio.Kept.a(SourceFile:1)", ["Kept.a(Kept.java:1)"]), ("d.a.a.z.a(SourceFile:1)", []),
    ("android.view.View.performClick(View.java:7)", []),
  ]

  @Test(arguments: cases) func `a call has class, method, file and line of the source`(
    _ call: String, _ expected: [String]
  ) throws {
    let found = try calls(call, in: Self.mapping(Self.sample))
    #expect(found == expected.map { "com.example.radio.\($0)" })
  }

  @Test func `mappings that follow each other are read as one`() throws {
    let second = """
      # compiler: R8
      com.example.extra.Tuner -> x.a:
          1:1:void tune():5:5 -> a
      com.example.extra.Other -> d.a.a.b:
          1:1:void other():6:6 -> q
      """
    let both = try Self.mapping(Self.sample + second)
    #expect(try calls("x.a.a(SourceFile:1)", in: both) == ["com.example.extra.Tuner.tune(Tuner.java:5)"])
    #expect(try calls("d.a.a.a.a(SourceFile:1)", in: both) == ["com.example.radio.Player.play(Player.kt:21)"])
    // Two classes have the name: the method tells which, or nothing does.
    #expect(try calls("d.a.a.b.q(SourceFile:1)", in: both) == ["com.example.extra.Other.other(Other.java:6)"])
    #expect(try calls("d.a.a.b.zz(SourceFile:1)", in: both) == [])
    #expect(try Self.mapping(Self.sample + Self.sample).index.count == 8)
  }

  @Test func `other ends of lines, tabs and mappings without lines are read`() throws {
    let text = "a.B -> c:\r\n\tvoid play() -> d\r\n"
    let mapping = try Self.mapping(text)
    #expect(!mapping.index.hasLines)
    #expect(try Self.mapping(Self.sample).index.hasLines)
    let class_ = RetracedName(className: "c")
    #expect(try mapping.frames(of: [class_]) == [class_: [ResolvedFrame(function: "a.B", file: "", line: 0)]])
    #expect(try calls("c.d(SourceFile:3)", in: mapping) == ["a.B.play(B.java:3)"])
  }

  @Test(arguments: [
    "", "\n\n", "# compiler: R8\n", "hello", "a -> b\n", "    int x -> a\na.B -> c:\n", "a.B -> c:\nfree text\n",
    "{\"version\":3,\"mappings\":\"AAAA\"}", "a b -> c:\n", " -> :\n", "a -> :\n", "\u{7F}ELF",
  ])
  func `what is no mapping is refused`(_ text: String) {
    #expect(throws: ObjectError.notMapping) { try Self.mapping(text) }
  }

  @Test func `lines that make no sense are skipped`() throws {
    let huge = String(repeating: "9", count: 40)
    let text = """
      a.B -> x.c:
          \(huge):\(huge):void one():1:1 -> a
          1:1:void two():\(huge):1 -> a
          5:1:void three():1:1 -> a
          1:1:void four(:1:1 -> a
          1:1:void five)(:1:1 -> a
          1:1: -> a
          1:1:six():1:1 -> a
          1:1:void seven():1:1x -> a
          1:1:void eight():1:1:1 -> a
          void -> a
          1:1:void .():1:1 -> a
          -> a
          1:1:void last():999999999:999999999 -> a
      """
    #expect(try calls("x.c.a(SourceFile:1)", in: Self.mapping(text)) == ["a.B.last(B.java:999999999)"])
  }

  @Test func `a mapping that is cut anywhere is refused or read, without more`() throws {
    let bytes = Array(Self.sample.utf8)
    let names = Set(
      ["d.a.a.a.a(SourceFile:6)", "d.a.a.b.a(SourceFile:1)", "d.a.a.a.d(Unknown Source:8)"].compactMap {
        ManagedCall(text: "at \($0)").map(RetracedName.init)
      })
    for count in bytes.indices {
      let source = ObjectSource(Array(bytes[..<count]))
      guard let index = try? MappingIndex(source) else { continue }
      let found = try Mapping(source: source, index: index).frames(of: names)
      #expect(found.count == names.count)
    }
  }

  @Test func `a look ends when its time is over, and reads few comments`() throws {
    var mapping = try Self.mapping("a.B -> x.c:\n" + String(repeating: "#{\n", count: 20) + "#\(Self.fileComment)\n")
    #expect(try calls("x.c.a(SourceFile:1)", in: mapping) == ["a.B.a(B.java:1)"])
    mapping.deadline = .now
    #expect(throws: ObjectError.self) { try calls("x.c.a(SourceFile:1)", in: mapping) }
  }

  private static let fileComment = #"{"id":"sourceFile","fileName":"Late.kt"}"#

  @Test func `a line outside of the only range is none of the calls that are inlined there`() throws {
    let mapping = try Self.mapping("a.B -> x.c:\n 5:5:int y.D.decode():88:88 -> a\n 5:5:void play():25 -> a\n")
    #expect(try calls("x.c.a(SourceFile:5)", in: mapping) == ["y.D.decode(D.java:88)", "a.B.play(B.java:25)"])
    #expect(try calls("x.c.a(SourceFile:99)", in: mapping) == ["a.B.play(B.java)"])
  }

  @Test func `a line has at most a mebibyte, and a class any number of members`() throws {
    let long = String(repeating: "x", count: MappingLines.maximumLineBytes - 2)
    #expect(
      try calls("x.c.a(SourceFile:1)", in: Self.mapping("a.B -> x.c:\n#\(long)\n  1:1:void b():2:2 -> a\n")) == [
        "a.B.b(B.java:2)"
      ])
    #expect(throws: ObjectError.damaged("a line has more than 1 MiB")) {
      try Self.mapping("a.B -> x.c:\n#\(long)\(long)\n")
    }
    #expect(throws: ObjectError.damaged("a line has more than 1 MiB")) {
      try Self.mapping("a.B -> x.c:\n#\(long)\(long)")
    }
    let members = (1...20_000).map { "    \($0):\($0):void m\($0)():\($0):\($0) -> a\n" }.joined()
    let mapping = try Self.mapping("a.B -> x.c:\n\(members)")
    #expect(try calls("x.c.a(SourceFile:4096)", in: mapping) == ["a.B.m4096(B.java:4096)"])
    #expect(try calls("x.c.a(SourceFile:9000)", in: mapping) == ["a.B.a(B.java)"], "more lines aren't kept")
  }
}
