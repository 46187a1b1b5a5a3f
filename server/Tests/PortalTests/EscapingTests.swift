import TernBase
import Testing

@testable import Portal
@testable import Reports

struct EscapingTests {
  static let hostile = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "<\u{301}b>", "\"\u{301} onfocus=alert(1) x=\"\u{338}", "&lt;b&gt;&#34;", "{{app}}{{{content}}}{{#groups}}",
    "]]><!--", "--><svg/onload=alert(1)>", "a\r\nb\tc", "/\\evil", "\u{0}\u{1B}[31m", "\u{202E}gpj.exe", "%22%3E<%=1%>",
    "javascript:alert(1)", String(repeating: "<", count: 500), "字幕 𝄞 ä",
  ]

  @Test(arguments: hostile) func `no text can change the structure of a page`(text: String) async throws {
    for (page, model) in zip(try await ScannedPages.with(text), try await ScannedPages.with("plain")) {
      #expect(page.scanner.problems.isEmpty, "\(page.name)")
      let names = page.scanner.tags.map { [$0.name] + $0.attributes.map(\.name) }
      var expected = model.scanner.tags.map { [$0.name] + $0.attributes.map(\.name) }
      // Most of these texts are not a path to continue to after the login, and are left out.
      let next = ["input", "type", "name", "value"]
      if page.name == "login", !names.contains(next) { expected.removeAll { $0 == next } }
      #expect(names == expected, "\(page.name)")
    }
  }

  @Test(arguments: hostile) func `no control or direction character reaches a page unescaped`(text: String) async throws
  {
    for page in try await ScannedPages.with(text) where !["login", "home", "error"].contains(page.name) {
      let shown = page.scanner.text.unicodeScalars.filter { $0 != "\n" }
      // Keys and addresses are the operator's own and shown as they are.
      guard !["settings", "setup", "empty"].contains(page.name) else { continue }
      #expect(visible(String(String.UnicodeScalarView(shown))).unicodeScalars.count == shown.count, "\(page.name)")
    }
  }

  @Test(arguments: [
    " ", "\t \u{A0}", "\u{FEFF}", "\u{200B}\u{200D}", "\u{3164}", "\u{2800}", "\u{AD}", "\u{301}", "\u{FE0F}",
  ])
  func `an invisible name is shown escaped and links to its event`(name: String) async throws {
    let sample = try SamplePages(name)
    let expected = name.unicodeScalars.map { scalar in
      scalar == "\t" ? "\\t" : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }.joined()
    #expect(visible(name) == expected)
    #expect(visible("a\u{301} b\u{FE0F}") == "a\u{301} b\u{FE0F}")
    for page in ["overview", "events", "event", "screens", "live", "dropped"] {
      let html = try await sample.report(page)
      #expect(PageScanner(html).text.contains(expected), "\(page)")
    }
    let link = "/apps/1/event?event=\(PercentCoding.encode(name))"
    #expect(PageScanner(try await sample.report("events")).tags.contains { $0["href"] == link })
    #expect(try await sample.request("live").report(from: sample.source).text(.table).contains(expected))
  }

  @Test(arguments: hostile) func `pages follow the content security policy`(text: String) async throws {
    for page in try await ScannedPages.with(text) {
      for tag in page.scanner.tags {
        #expect(!["iframe", "object", "embed", "base", "style"].contains(tag.name), "\(page.name)")
        if tag.name == "script" {
          #expect(
            [
              "/assets/shell.js?v=", "/assets/builder.js?v=", "/assets/live.js?v=", "/assets/refresh.js?v=",
              "/assets/dashboard.js?v=",
            ].contains {
              tag["src"]?.hasPrefix($0) == true
            })
        }
        for attribute in tag.attributes {
          #expect(attribute.name != "style" && !attribute.name.hasPrefix("on"), "\(page.name): \(attribute)")
          if ["href", "src", "action"].contains(attribute.name) {
            let isLocal = attribute.value.hasPrefix("/") && !attribute.value.hasPrefix("//")
            let isAuthenticator = attribute.name == "href" && attribute.value.hasPrefix("otpauth://totp/Tern:")
            #expect(isLocal || isAuthenticator || attribute.value == "#main", "\(page.name): \(attribute)")
          }
          if attribute.name == "fill" { #expect(attribute.value.hasPrefix("url(#")) }
        }
      }
    }
  }

  @Test(arguments: hostile) func `the address of an event is percent-encoded and decodes to its name`(text: String)
    async throws
  {
    let page = PageScanner(try await SamplePages(text).report("events"))
    let links = page.tags.compactMap { $0["href"] }.filter { $0.hasPrefix("/apps/1/event?event=") }
    let encoded = try #require(links.first).dropFirst("/apps/1/event?event=".count)
    #expect(encoded.utf8.allSatisfy { byte in "%-._~".utf8.contains(byte) || isLetterOrDigit(byte) })
    #expect(decoded(encoded) == Array(text.utf8))
  }

  private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private func decoded(_ text: Substring) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: [rest.removeFirst(), rest.removeFirst()], as: UTF8.self)
      bytes.append(UInt8(digits, radix: 16) ?? 0)
    }
    return bytes
  }
}

/// Every page with a text in all places, rendered and read once for all tests.
private actor ScannedPages {
  typealias Page = (name: String, scanner: PageScanner)

  private static let shared = ScannedPages()
  private var tasks: [String: Task<[Page], any Error>] = [:]

  static func with(_ text: String) async throws -> [Page] { try await shared.pages(text) }

  private func pages(_ text: String) async throws -> [Page] {
    let task =
      tasks[text]
      ?? Task.detached { try await SamplePages(text).all().map { ($0.name, PageScanner($0.html)) } }
    tasks[text] = task
    return try await task.value
  }
}
