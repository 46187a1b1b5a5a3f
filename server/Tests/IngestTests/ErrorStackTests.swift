import Foundation
import Testing

@testable import Ingest

struct ErrorStackTests {
  /// The event of a crash as the SDK sends it (docs/protocols.md).
  private static let caught = #"""
    {"id":"x","type":"crash","name":"SIGSEGV","exception":{"type":"SIGSEGV","message":"SIGSEGV (11), code 1, address 0x8",
    "frames":[
    {"address":"0x55d0c0a01d8d","code":"CrashProbe(+0x41d8d) [8a7f0c1de2b34455]"},
    {"address":"0x7f0000001000","code":"libc.so.6(+0x29d90) [c289da5071a3399de893d2af81d6a30c62646e1e]"},
    {"address":"0x10","code":"?"},{"address":"0x7f1100001000","code":"tool_x(+0x1000) []"}],
    "stackTrace":"Process: 7\nThread: 12 main\nRegisters:\n  rax 0x0\n  rip 0x55d0c0a01d8d\nImages:\n  0x55d0c09c0000 CrashProbe [8a7f0c1de2b34455]\n  0x7f0000000000 libc.so.6 [c289da5071a3399de893d2af81d6a30c62646e1e]\n  0x7f1100000000 tool_x []\nThread 13 worker: 2:\n  0x7f0000002000 libc.so.6(+0x2ad90)\n  0x20 ?\n"}}
    """#

  @Test func `a caught crash has its threads, registers and images`() throws {
    let stack = ErrorStack(raw: Self.caught)
    #expect(stack.threads.map(\.name) == ["Thread 12 main", "Thread 13 worker: 2"])
    #expect(stack.threads.map(\.isCrashed) == [true, false])
    let frames = stack.threads[0].frames
    #expect(frames.map(\.image) == ["CrashProbe", "libc.so.6", "", "tool_x"])
    #expect(frames.map(\.offset) == [0x41D8D, 0x29D90, nil, 0x1000])
    #expect(frames.map(\.buildID) == ["8a7f0c1de2b34455", "c289da5071a3399de893d2af81d6a30c62646e1e", "", ""])
    #expect(frames.allSatisfy { !$0.isReturnAddress }, "the SDK moves addresses into the call")
    #expect(stack.threads[1].frames.map(\.buildID) == ["c289da5071a3399de893d2af81d6a30c62646e1e", ""])
    #expect(stack.threads[1].frames[0].offset == 0x2AD90)
    #expect(stack.registers.map(\.name) == ["rax", "rip"] && stack.registers[1].value == "0x55d0c0a01d8d")
    #expect(stack.images.map(\.name) == ["CrashProbe", "libc.so.6", "tool_x"])
    #expect(stack.lines.prefix(3) == ["Thread 12 main (crashed):", "  CrashProbe + 0x41d8d", "  libc.so.6 + 0x29d90"])
  }

  @Test func `a handled error has functions, and its causes as threads`() {
    let stack = ErrorStack(
      raw: #"{"exception":{"type":"A","message":"m","frames":[{"className":"Store","methodName":"open","#
        + #""fileName":"S.swift","lineNumber":12}],"innerExceptions":[{"type":"B","message":"n","stackTrace":"\tat x\n at y"}]}}"#
    )
    #expect(stack.threads.map(\.name) == ["", "Caused by: B: n"])
    #expect(stack.threads.map(\.isCause) == [false, true])
    #expect(stack.lines == ["  Store.open (S.swift:12)", "Caused by: B: n:", "  at x", "  at y"])
  }

  @Test func `a crash log of Apple's has offsets in its images, and return addresses in all frames but the first`() {
    let stack = ErrorStack(
      raw: #"{"type":"appleError","errorThreadId":4,"threads":[{"id":0,"frames":[{"address":"0x1000"}]},"#
        + #"{"id":4,"name":"main","frames":[{"address":"0x0000000104388010"},{"address":"4365781024"}]}],"registers":{"x0":"0x1"},"binaries":["#
        + #"{"id":"0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9","name":"player","startAddress":"0x0000000104388000","#
        + #""endAddress":"0x0000000104413fff"}]}"#)
    #expect(stack.threads.map(\.name) == ["Thread 4 main", "Thread 0"])
    let frames = stack.threads[0].frames
    #expect(frames.map(\.offset) == [0x10, 4_365_781_024 - 0x1_0438_8000])
    #expect(frames.map(\.isReturnAddress) == [false, true])
    #expect(frames.allSatisfy { $0.buildID == "0a1b2c3d4e5f60718293a4b5c6d7e8f9" && $0.image == "player" })
    #expect(stack.registers.map(\.name) == ["x0"])
  }

  @Test func `an error that is cut off anywhere is read up to there`() {
    let bytes = Array(Self.caught.utf8)
    for count in 0..<bytes.count { _ = ErrorStack(raw: String(decoding: bytes.prefix(count), as: UTF8.self)) }
    #expect(ErrorStack(raw: String(Self.caught.prefix(400))).threads.first?.frames.isEmpty == false)
    for text in ["", "[", "{}", "null", #"{"exception":3}"#] { #expect(ErrorStack(raw: text) == ErrorStack()) }
    var stack = ErrorStack()
    stack.threads = [ErrorStack.Thread(name: "Thread")]
    #expect(ErrorStack(raw: #"{"threads":[[]],"binaries":{}}"#) == stack)
  }

  @Test func `the steps before a crash have their distance from it, whatever the clock was`() {
    let steps = #"[{"time":900,"text":"a"},{"time":1000,"text":"b\n"},{"time":2000,"text":"set back"}]"#
    let stack = ErrorStack(raw: #"{"time":1000,"steps":\#(steps)}"#)
    #expect(stack.steps.map(\.age) == [100, 0, 0] && stack.steps.map(\.text) == ["a", "b\n", "set back"])
    #expect(ErrorStack(raw: #"{"steps":\#(steps)}"#) == ErrorStack())
  }

  @Test func `steps of hostile clients are bounded`() {
    let long = String(repeating: "é", count: 5_000)
    let many = ErrorStack(
      raw: #"{"time":9,"steps":["# + String(repeating: #"{"time":1,"text":"\#(long)"},"#, count: 500))
    #expect(many.steps.count == 32 && many.steps.allSatisfy { $0.text.utf8.count <= 100 })
    let odd = #"[1,null,[],{},{"time":1},{"text":"x"},{"time":"1","text":"x"},{"time":1,"text":""},"#
    let extreme = [Int64.min, .min + 10, .max].map { #"{"time":\#($0),"text":"x"}"# }.joined(separator: ",")
    let ages = ErrorStack(raw: #"{"time":9,"steps":\#(odd){"time":1.5,"text":"x"},\#(extreme)]}"#).steps.map(\.age)
    #expect(ages == [0, 400 * 86_400_000, 0])
    for text in ["7", "{}", "[[[", #"{"time":1}"#] {
      #expect(ErrorStack(raw: #"{"time":9,"steps":\#(text)}"#).steps.isEmpty)
    }
  }

  @Test func `identifiers of builds are compared without dashes and case`() {
    #expect(BuildIdentifier.normalized("0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9") == "0a1b2c3d4e5f60718293a4b5c6d7e8f9")
    for text in ["", "xyz", "1234567", "../../etc", String(repeating: "a", count: 129)] {
      #expect(BuildIdentifier.normalized(text) == nil, "\(text)")
    }
  }

  @Test func `hostile numbers and sizes are bounded`() {
    let frame = #"{"address":"0xffffffffffffffff","code":"a(+0xffffffffffffffff) [aaaaaaaa]","lineNumber":-5},"#
    let many = ErrorStack(raw: #"{"exception":{"frames":[\#(String(repeating: frame, count: 9_000))]}}"#)
    #expect(many.threads[0].frames.count == 4_096)
    #expect(many.threads[0].frames[0].offset == .max && many.threads[0].frames[0].line == 0)
    let places = ["a(+0x1ffffffffffffffff) [b]", "(+0x) []", "(+0x1)", "a(+0x1) [../../x]", "a(+0x1) [", "a(+0x1)]"]
    for place in places {
      let stack = ErrorStack(raw: #"{"exception":{"frames":[{"code":"\#(place)"}]}}"#)
      #expect(stack.threads[0].frames[0].buildID.isEmpty, "\(place)")
    }
  }
}
