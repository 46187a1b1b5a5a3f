import Portal
import ServerBase
import TernBase
import Testing

/// Tests queries and posted forms.
@Suite struct URLEncodedFormTests {
  @Test(arguments: [
    ("", [:]), ("a", ["a": ""]), ("a=", ["a": ""]), ("a=b=c", ["a": "b=c"]), ("a=1&a=2", ["a": "2"]),
    ("a+b=c+d", ["a b": "c d"]), ("%41=%zz%4", ["A": "%zz%4"]), ("n=%C3%A4", ["n": "ä"]), ("n=%ff", ["n": "\u{FFFD}"]),
    ("&&a=1&", ["a": "1"]), ("=x", ["": "x"]), ("a=%+1", ["a": "% 1"]),
    ("carl%001=carl%002", ["carl\u{FFFD}1": "carl\u{FFFD}2"]), ("a=%01%2500", ["a": "\u{1}%00"]),
  ])
  func `pairs are decoded as browsers encode them`(text: String, expected: [String: String]) {
    #expect(URLEncodedForm(text).values == expected)
  }

  @Test func `encoded text decodes to the same text`() {
    let text = "/apps/1?event=ä ö&x=%+\"'<>\u{1}"
    #expect(URLEncodedForm("v=\(PercentCoding.encode(text))")["v"] == text)
  }

  @Test(arguments: [
    ("a=%00", true), ("/a%00?b", true), ("a\0", true), ("a=%2500&b=%0a%01", false), ("%%00", true), ("", false),
  ])
  func `a NUL is found in any form`(text: String, expected: Bool) {
    #expect(URLEncodedForm.hasNUL(text) == expected)
  }
}
