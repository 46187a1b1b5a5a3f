import Ingest
import Testing

@testable import Symbols

struct StackExpansionTests {
  private func stack(_ counts: Int...) -> ErrorStack {
    var stack = ErrorStack()
    stack.threads = counts.enumerated().map { number, count in
      ErrorStack.Thread(name: "\(number)", frames: Array(repeating: ErrorStack.Frame(), count: count))
    }
    return stack
  }

  private func expansion(_ count: Int, function: String = "f") -> StackExpansion {
    StackExpansion { _ in Array(repeating: ResolvedFrame(function: function, file: "", line: 1), count: count) }
  }

  @Test func `a stack without too many functions has them all`() {
    let threads = expansion(64).applied(to: stack(64, 4)).threads
    #expect(threads.map(\.frames.count) == [4_096, 1])
    #expect(threads[0].frames.allSatisfy { $0.function == "f" && $0.hasSymbols })
    #expect(threads[0].frames.filter { !$0.isInlined }.count == 64)
  }

  @Test func `inlined functions can't multiply the frames of a stack, and the rest is counted`() {
    let threads = expansion(64).applied(to: stack(4_096, 4_096)).threads
    #expect(threads.map(\.frames.count) == [4_097, 1])
    #expect(threads[0].frames.last?.shownText == "… 4032 more frames")
    let others = expansion(64).applied(to: stack(1, 5, 4)).threads
    #expect(others.map(\.frames.count) == [64, 257, 256])
    #expect(others[1].frames.last?.shownText == "… 1 more frame")
  }

  @Test func `long names can't make a stack larger than a megabyte`() {
    let name = String(repeating: "a", count: 1_024)
    let threads = expansion(64, function: name).applied(to: stack(40, 40)).threads
    #expect(threads.map(\.frames.count) == [1_025, 1])
    #expect(threads.map { $0.frames.last?.shownText } == ["… 24 more frames", "… 40 more frames"])
  }
}
