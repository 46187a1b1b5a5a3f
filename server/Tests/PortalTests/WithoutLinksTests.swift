import Testing

@testable import Portal

/// The content of a shared page, whose reader may open no other page.
struct WithoutLinksTests {
  @Test(arguments: [
    (#"<td><a class="x" href="/apps/1" rel="next" title="T">A</a></td>"#, #"<td><a class="x" title="T">A</a></td>"#),
    (#"<p class="more"><a href="/a">All</a></p>b"#, "b"),
    (#"<p class="more full"> <a href="/a">All</a> <a href="/b">B</a></p>"#, ""),
    (#"<p class="more">The first ten. <a href="/a">All</a></p>"#, #"<p class="more">The first ten.</p>"#),
    // Combining marks after brackets are part of other characters.
    ("<a href=\"/a\" aria-label=\"b\">\u{301}é</a>\u{301}", "<a>\u{301}é</a>\u{301}"),
    ("a &lt;a href=&quot;/b&quot;&gt; <abbr>c</abbr>", "a &lt;a href=&quot;/b&quot;&gt; <abbr>c</abbr>"),
    ("<a href=", "<a href="), ("", ""),
  ])
  func `links are text, and lines that only link are removed`(html: String, expected: String) {
    let found = GuestContent.withoutLinks(html)
    #expect(Array(found.utf8) == Array(expected.utf8), "\(found)")
  }
}
