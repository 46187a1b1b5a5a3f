import ErrorGrouping
import TernEvents
import Testing

@testable import Ingest

/// Tests the rules by which errors are grouped (docs/crashes.md).
@Suite struct ErrorGroupTests {
  private func group(
    _ message: String = "", stack: String = "", type: String = "Player.PlayerError", kind: String = "handled_error"
  ) throws -> Int64? {
    let line =
      #"{"id":"\#(uuid(1))","type":"\#(kind)","time":1740924309120,"install":"\#(testInstall)","exception":{"type":"#
      + #""\#(type)","message":"\#(message)","stackTrace":"\#(stack)"}}"#
    return try #require(try parseLines(line).errors.first).group
  }

  /// The stack of an error on Linux without symbols, for one build and launch.
  private func linux(build: Int, base: Int) -> String {
    [0x99e72, 0x88a10, 0x12345].map { offset in
      let address = String(base + offset + build, radix: 16)
      return "/usr/bin/player(+0x\(String(offset + build, radix: 16))) [0x\(address)]"
    }.joined(separator: #"\n"#)
  }

  @Test func `two cases of an enum are two groups, regardless of their payloads`() throws {
    let stack = linux(build: 0, base: 0x5500_0000)
    let hevc = try group(#"codecMissing(\"hevc\")"#, stack: stack)
    #expect(try group(#"codecMissing(\"av1\")"#, stack: stack) == hevc)
    #expect(try group("networkGone", stack: stack) != hevc)
    #expect(try group(#"codecMissing(\"hevc\")"#, stack: stack, type: "Player.Other") != hevc)
    let frames = #"{"type":"handledError","timestamp":"2025-03-02T14:04:09.120Z","exception":{"type":"E","message":"#
    let logs = ["a(1)", "a(2)", "b"].map { frames + "\"\($0)\"" + #","frames":[{"methodName":"f"}]}}"# }
    let structured = try parseLogs(Array(#"{"logs":[\#(logs.joined(separator: ","))]}"#.utf8)).batch.errors
    #expect(structured[0].group == structured[1].group)
    #expect(structured[0].group != structured[2].group)
  }

  @Test func `an offset in a method's name does not make a new group`() throws {
    let prefix = #"{"type":"handledError","timestamp":"2025-03-02T14:04:09.120Z","exception":{"type":"E","frames":["#
    let logs = ["main + 52", "main + 0x309", "main", "stop + 52"].map {
      prefix + #"{"methodName":"\#($0)","fileName":"App.swift"}]}}"#
    }
    let errors = try parseLogs(Array(#"{"logs":[\#(logs.joined(separator: ","))]}"#.utf8)).batch.errors
    #expect(Set(errors[..<3].map(\.group)).count == 1 && errors[3].group != errors[0].group)
  }

  @Test func `a rebuild does not move errors to a new group`() throws {
    let before = try group("networkGone", stack: linux(build: 0, base: 0x5500_0000))
    #expect(try group("networkGone", stack: linux(build: 0x40, base: 0x7F00_0000)) == before)
    for (one, two, other) in [
      ("app(play+0x1c) [0x7f00]", "app(play+0x2c) [0x5500]", "app(stop+0x1c) [0x7f00]"),
      (
        "3 App 0x0000000104388010 play + 28", "3 App 0x0000000100000010 play + 44", "3 App 0x0000000104388010 stop + 28"
      ),
    ] {
      for kind in ["handled_error", "crash"] {
        let first = try group("m", stack: one, kind: kind)
        #expect(try group("m", stack: two, kind: kind) == first)
        #expect(try group("m", stack: other, kind: kind) != first)
      }
    }
  }

  @Test func `crashes without symbols are distinguished by their position in the image`() throws {
    for (one, two) in [("app(+0x10) [0x7f00]", "app(+0x20) [0x7f00]"), ("0 App 0x1 App + 16", "0 App 0x1 App + 32")] {
      #expect(try group(stack: one, kind: "crash") != group(stack: two, kind: "crash"))
      #expect(try group("a", stack: one) == group("a", stack: two))
    }
    #expect(
      try group(stack: "app(+0x10) [0x7f00]", kind: "crash")
        == group(stack: "app(+0x10) [0x5500]", kind: "crash"))
  }

  @Test(arguments: [
    ("user 17 of 20", "user 3 of 4"), (#"no file “a.mp3”"#, #"no file “b.mp3”"#),
    ("cannot open: a b", "cannot open: c"),
    ("gone /var/x", "gone /tmp/y"), ("lost (a)", "lost (b c)"), ("the user's 'a' ended", "the user's 'b' ended"),
    ("session 0C7C9D1E-5A77 ended", "session 7B0E2C5E-6C2B ended"), ("mail to a@b.c failed", "mail to d@e.f failed"),
  ]) func `details of free text do not affect the fault`(one: String, two: String) throws {
    let stack = linux(build: 0, base: 0x5500_0000)
    #expect(try group(one, stack: stack) == group(two, stack: stack))
    #expect(try group(one, stack: stack) != group("something else", stack: stack))
  }

  @Test func `free text does not count if the frames of the throw are known`() throws {
    func error(_ message: String) throws -> Int64? {
      let log =
        #"{"type":"handledError","timestamp":"2025-03-02T14:04:09.120Z","exception":{"type":"E","message":"\#(message)","#
        + #""frames":[{"className":"Store","methodName":"open"}]}}"#
      return try parseLogs(Array(#"{"logs":[\#(log)]}"#.utf8)).batch.errors.first?.group
    }
    #expect(try error("user bob is gone") == error("user eve is gone"))
  }

  @Test func `system errors are distinguished by domain and code`() throws {
    func system(_ code: Int, _ text: String) throws -> Int64? {
      try group(#"Error Domain=NSURLErrorDomain Code=\#(code) \"\#(text)\" UserInfo={a=\#(text)}"#)
    }
    #expect(try system(-1009, "offline") == system(-1009, "hors ligne"))
    #expect(try system(-1009, "offline") != system(-1001, "offline"))
  }
}

extension IncomingError {
  /// The key of its group without symbols.
  var group: Int64? { signature.map { GroupKey($0).value } }
}
