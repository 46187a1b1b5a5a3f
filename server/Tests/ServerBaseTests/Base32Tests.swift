import ServerBase
import Testing

/// Compares Base32 with the vectors of RFC 4648.
@Suite struct Base32Tests {
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ])
  func `text is that of the RFC without padding`(plain: String, text: String) {
    #expect(Base32.encode(plain.utf8) == text)
    #expect(Base32.decode(text) == Array(plain.utf8))
  }

  @Test(arguments: ["M", "MZ=", "mzxw6", "MZXW1", "MZ", "MZX", "MZXW6\n", "MY======", "ÄÄ"])
  func `any other text has no bytes`(text: String) { #expect(Base32.decode(text) == nil) }
}
