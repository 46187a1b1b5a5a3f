import TernBase
import Testing

/// Texts cut by their bytes.
@Suite struct UTF8PrefixTests {
  @Test func `a text is cut at the last whole code point that fits`() {
    let text = "aé€😀e\u{301}"
    for limit in -1...text.utf8.count + 1 {
      let cut = text.prefix(utf8Bytes: limit)
      #expect(cut.utf8.count <= max(limit, 0) && text.utf8.starts(with: cut.utf8), "\(limit)")
      #expect(cut.utf8.count > limit - 4 || cut.utf8.count == text.utf8.count, "\(limit): no more than needed is cut")
    }
    #expect(text.dropFirst().prefix(utf8Bytes: 5) == "é€")
    #expect("".prefix(utf8Bytes: 0).isEmpty && text.prefix(utf8Bytes: .max) == text)
  }

  @Test func `a character with any number of combining marks is cut`() {
    let long = "e" + String(repeating: "\u{301}", count: 8_000)
    #expect(long.count == 1 && long.prefix(utf8Bytes: 100).utf8.count == 99)
  }
}
