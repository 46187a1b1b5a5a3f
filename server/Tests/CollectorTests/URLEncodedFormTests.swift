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
  ])
  func `pairs are decoded as browsers encode them`(text: String, expected: [String: String]) {
    #expect(URLEncodedForm(text).values == expected)
  }

  @Test func `encoded text decodes to the same text`() {
    let text = "/apps/1?event=ä ö&x=%+\"'<>\u{0}"
    #expect(URLEncodedForm("v=\(PercentCoding.encode(text))")["v"] == text)
  }
}
