import Foundation
import Testing

@testable import Symbols

/// Random mappings, compared with a model that keeps all that was written.
struct RandomMappingTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  /// The calls at one range of lines, the innermost first.
  private struct Group {
    var lines: ClosedRange<Int>
    var calls: [(owner: String, name: String, first: Int, last: Int)]
  }

  @Test func `calls in random mappings are those that were written`() throws {
    let seed = UInt64.random(in: 0..<(.max))
    print("seed \(seed)")
    var random = Generator(state: seed)
    for _ in 0..<60 {
      var (text, model) = ("# compiler: R8\n", [String: [String: [Group]]]())
      var (originals, files): ([String: String], [String: String]) = ([:], [:])
      for number in 0..<Int.random(in: 1...30, using: &random) {
        let letter = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        let (original, short) = ("com.example.p\(number % 5).Class\(number)", "\(letter).c\(number)")
        originals[short] = original
        text += "\(original) -> \(short):\n"
        if Bool.random(using: &random) {
          files[original] = "File\(number).kt"
          text += "# {\"id\":\"sourceFile\",\"fileName\":\"File\(number).kt\"}\n"
        }
        if Bool.random(using: &random) { text += "    int field -> a\n" }
        for method in ["a", "b", "run"].shuffled(using: &random) {
          var line = 1
          for _ in 0..<Int.random(in: 0...4, using: &random) {
            let length = Int.random(in: 1...5, using: &random)
            var group = Group(lines: line...(line + length - 1), calls: [])
            line += length + Int.random(in: 0...2, using: &random)
            for depth in 0..<Int.random(in: 1...3, using: &random) {
              let owner = depth == 0 && Bool.random(using: &random) ? "com.example.p0.Class0" : original
              let first = Int.random(in: 1...500, using: &random)
              let last = Bool.random(using: &random) ? first : first + length - 1
              group.calls.append((owner, "method\(Int.random(in: 0...9, using: &random))", first, last))
            }
            for call in group.calls {
              let owner = call.owner == original ? "" : "\(call.owner)."
              let source =
                call.first == call.last && Bool.random(using: &random) ? "\(call.first)" : "\(call.first):\(call.last)"
              text +=
                "    \(group.lines.lowerBound):\(group.lines.upperBound):void \(owner)\(call.name)(int,a.b[]):\(source) -> \(method)\n"
              if Bool.random(using: &random) { text += "      # {\"id\":\"x\"}\n" }
            }
            model[short, default: [:]][method, default: []].append(group)
          }
        }
      }
      var expected: [RetracedName: [ResolvedFrame]] = [:]
      for short in originals.keys {
        for method in ["a", "b", "run"] {
          for line in 1...25 {
            var name = RetracedName(className: short)
            (name.method, name.line, name.file) = (method, line, "SourceFile")
            let groups = model[short]?[method] ?? []
            guard let group = groups.first(where: { $0.lines.contains(line) }) else { continue }
            expected[name] = group.calls.map { call in
              let own = call.owner.split(separator: ".").last.map(String.init) ?? ""
              return ResolvedFrame(
                function: "\(call.owner).\(call.name)", file: files[call.owner] ?? "\(own).java",
                line: min(call.first + line - group.lines.lowerBound, call.last))
            }
          }
        }
      }
      let found = try MappingTests.mapping(text).frames(of: Set(expected.keys))
      #expect(found == expected, "seed \(seed)\n\(text)")
    }
  }
}
