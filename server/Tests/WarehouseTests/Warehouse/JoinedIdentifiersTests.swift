import Testing

@testable import Warehouse

@Suite struct JoinedIdentifiersTests {
  private func joined(_ pairs: [(String, String)]) -> JoinedIdentifiers {
    var joined = JoinedIdentifiers()
    for (one, other) in pairs { joined.join(one, other) }
    return joined
  }

  private func persons(_ pairs: [(String, String)]) -> [[String]] {
    joined(pairs).persons.map { $0.sorted() }.sorted { $0[0] < $1[0] }
  }

  @Test func `a chain of aliases is one person, in whatever order and direction its parts come`() {
    let chain = [("a", "b"), ("b", "c"), ("d", "c")]
    for first in 0..<3 {
      for second in 0..<3 where second != first {
        let order = [chain[first], chain[second], chain[3 - first - second]]
        #expect(persons(order + [("x", "y")]) == [["a", "b", "c", "d"], ["x", "y"]])
        #expect(persons(order.map { ($1, $0) }) == [["a", "b", "c", "d"]])
      }
    }
    #expect(joined(chain).identifiers(with: "d")?.sorted() == ["a", "b", "c", "d"])
    #expect(joined(chain).identifiers(with: "e") == nil)
    #expect(joined([("a", "a")]).identifiers(with: "a") == nil)
  }

  @Test func `words for no one join no one, in any case`() {
    for word in ["", "null", "NULL", "undefined", "Anonymous", "0", "None", "(none)"] {
      #expect(persons([("a", word), (word, "b")]) == [])
    }
    #expect(persons([("a", "nobody"), ("nobody", "b")]) == [["a", "b", "nobody"]])
  }

  @Test func `a person has at most a hundred identifiers, and what is too much joins nothing`() {
    let first = (1..<JoinedIdentifiers.maximum).map { ("u", "a\($0)") }
    let full = joined(first + [("u", "more"), ("v", "w"), ("v", "u"), ("a1", "a2")])
    #expect(full.identifiers(with: "u")?.count == JoinedIdentifiers.maximum)
    #expect(full.identifiers(with: "a99")?.count == JoinedIdentifiers.maximum)
    #expect(full.identifiers(with: "more") == nil)
    #expect(full.identifiers(with: "w")?.sorted() == ["v", "w"])
    // Two persons whose identifiers are too many together.
    let halves = joined((0..<60).flatMap { [("u", "a\($0)"), ("v", "b\($0)")] } + [("u", "v")])
    #expect(halves.identifiers(with: "u")?.count == 61)
  }

  @Test func `an app's identifiers take no more memory than they may, and aliases among known ones go on`() {
    var joined = JoinedIdentifiers(maximumSize: 1_000)
    for number in 0..<100 { joined.join("u\(number)", "a\(number)") }
    #expect(joined.persons.count == 4)
    joined.join("u0", "u3")
    #expect(joined.persons.count == 3 && joined.identifiers(with: "a0")?.count == 4)
  }

  @Test func `a UUID is also the install of another case, and texts are told apart by their bytes`() {
    let upper = "0F8FAD5B-D9CB-469F-A165-70867728950E"
    #expect(persons([("u", upper), ("v", upper.lowercased())]) == [[upper, upper.lowercased(), "u", "v"]])
    let accents = joined([("\u{E9}", "a"), ("e\u{301}", "b")])
    #expect(accents.persons.count == 2)
  }
}
