import ErrorGrouping
import Foundation
import Testing

/// Pairs of errors that people call the same or not, in the forms of real reports (docs/crashes.md).
@Suite struct PairTests {
  struct Pair: Decodable, Sendable {
    struct Side: Decodable, Sendable {
      var crash: Bool
      var type: String
      var message: String
      var stack: String
      var functions: [String: [String]]?
    }

    var name: String
    var same: Bool
    var a: Side
    var b: Side
  }

  @Test func `people and rules agree on which errors are the same`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/pairs.json")
    let pairs = try JSONDecoder().decode([Pair].self, from: Data(contentsOf: file))
    var different: [String] = []
    for pair in pairs {
      let (a, b) = (key(pair.a), key(pair.b))
      if (a.value == b.value) != pair.same {
        different.append(pair.name)
        print(
          "Wanted \(pair.same ? "one group" : "two groups"): \(pair.name)\n\(signature(pair.a).text)\n--\n\(signature(pair.b).text)"
        )
      }
    }
    print("\(pairs.count - different.count) of \(pairs.count) pairs are as wanted")
    let known = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "differences.txt"), encoding: .utf8)
    #expect(Set(different) == Set(known.split(separator: "\n").map { String($0.prefix { $0 != "|" }.dropLast()) }))
  }

  private func signature(_ side: Pair.Side) -> Signature {
    Signature(GroupingError(isCrash: side.crash, type: side.type, message: side.message, stack: side.stack))
  }

  private func key(_ side: Pair.Side) -> GroupKey {
    GroupKey(signature(side)) { position in
      let place = "\(position.image)+0x\(String(position.offset, radix: 16)) [\(position.buildIdentifier)]"
      return side.functions?[place]?.map(Self.function)
    }
  }

  /// Reads `name (file)`.
  private static func function(_ text: String) -> SymbolizedFunction {
    guard text.hasSuffix(")"), let open = text.range(of: " (", options: .backwards) else {
      return SymbolizedFunction(name: text)
    }
    return SymbolizedFunction(name: String(text[..<open.lowerBound]), file: String(text[open.upperBound...].dropLast()))
  }
}
