import Foundation
import TernEvents
import Testing

@testable import Outgoing

@Suite struct MailMessageTests {
  private func message(title: String = "Radio: Crashes – 12", text: String = "The figure is 12.") -> OutgoingMessage {
    OutgoingMessage(
      id: UniqueID(high: 1, low: 2), time: Timestamp(millisecondsSince1970: 1_795_000_000_000),
      event: "alert.breached", title: title, text: text,
      facts: [.init("value", "Figure", .number(12), text: "12"), .init("app", "App", "Radio <b> & Co")],
      link: "https://tern.example.org/apps/1/explore?metric=users&days=1")
  }

  private func lines(_ message: OutgoingMessage) throws -> [String] {
    let mail = MailMessage(
      message: message, from: try #require(MailAddress("tern@example.org")),
      to: try #require(MailAddress("a@b.example")))
    return String(decoding: mail.bytes, as: UTF8.self).components(separatedBy: "\r\n")
  }

  @Test func `the headers of a mail are those of the standards`() throws {
    let lines = try lines(message(title: "Radio: Crashes"))
    #expect(
      lines.prefix(9) == [
        "From: Tern <tern@example.org>", "To: <a@b.example>", "Date: Wed, 18 Nov 2026 11:06:40 +0000",
        "Message-ID: <00000000-0000-0001-0000-000000000002.21jhauexoxqm7@example.org>",
        "X-Tern-Id: 00000000-0000-0001-0000-000000000002", "Subject: Radio: Crashes", "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
        "Content-Type: multipart/alternative; boundary=\"=_tern_00000000-0000-0001-0000-000000000002\"",
      ])
    #expect(lines.filter { $0.hasPrefix("--=_tern_") }.count == 3 && lines.last == "")
  }

  @Test func `no name changes the direction of a subject`() throws {
    let message = message(title: "Radio: gnp\u{202E}exe.\u{2066} – 12\u{200F}")
    #expect(message.title == "Radio: gnp exe.  – 12 ")
    #expect(MailMessage.header("gnp\u{202E}exe") == "gnp exe")
    #expect(self.message(title: "👩‍👩‍👧 می‌خواهم").title == "👩‍👩‍👧 می‌خواهم")
  }

  @Test func `no text can add a header`() throws {
    for end in ["\r\n", "\n", "\r", "\u{2028}", "\u{85}", "\u{0}"] {
      let lines = try lines(message(title: "Hello\(end)Bcc: everyone@example.org", text: "x\(end)Bcc: all@example.org"))
      let headers = lines.prefix { !$0.isEmpty }
      #expect(!headers.contains { $0.hasPrefix("Bcc") }, "\(end.unicodeScalars.map(\.value))")
      #expect(headers.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    }
  }

  @Test func `a subject that is not ASCII is made of encoded words`() throws {
    let title = String(repeating: "Überblick – 日本語 👩‍👩‍👧 ", count: 6)
    let header = MailMessage.header(title)
    let words = header.components(separatedBy: "\r\n ")
    #expect(words.count > 1 && words.allSatisfy { $0.utf8.count <= 75 })
    let decoded = try words.map { word in
      let parts = word.split(separator: "?")
      try #require(parts.count == 5)
      #expect(parts[1] == "utf-8" && parts[2] == "B")
      // Each word has whole characters.
      let bytes = try #require(Data(base64Encoded: String(parts[3])))
      return try #require(String(data: bytes, encoding: .utf8))
    }.joined()
    #expect(title.hasPrefix(decoded) && decoded.utf8.count > MailMessage.maximumSubjectBytes - 5)
    #expect(MailMessage.header("=?utf-8?B?QQ==?=") != "=?utf-8?B?QQ==?=", "is not read as what it spells")
  }

  @Test func `quoted printable lines are short and decode to the text`() {
    let texts = [
      "", "a", ".", "..\n.", "From me", "ends with space ", "é", String(repeating: "ü=", count: 200),
      String(repeating: "x", count: 75), String(repeating: "x", count: 76), "a\r\nb\u{2028}c\n\nd",
    ]
    for text in texts {
      let encoded = MailMessage.quotedPrintable(text)
      let lines = encoded.components(separatedBy: "\r\n")
      #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
      #expect(lines.allSatisfy { !$0.hasSuffix(" ") && !$0.hasPrefix(".") && !$0.hasPrefix("From") })
      let expected = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n")
      #expect(decoded(encoded) == expected)
    }
  }

  private func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(text.replacing("=\r\n", with: "").replacing("\r\n", with: "\n"))
    while let first = rest.popFirst() {
      if first == "=" {
        bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        bytes += Array(String(first).utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `texts are escaped in HTML`() throws {
    let text = try lines(message(title: "<script>alert('x')</script>")).joined(separator: "\n")
    let html = try #require(text.components(separatedBy: "text/html").last).replacing("=\n", with: "")
    #expect(!html.contains("<script>") && html.contains("&lt;script&gt;"))
    #expect(html.contains("Radio &lt;b&gt; &amp; Co"))
  }

  @Test(arguments: [
    "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c", "a@b\r\nc", "a@b>", "<a@b", "\"a\"@b", "ä@b", "a@bä", "a@-b",
    "a,b@c",
    String(repeating: "a", count: 65) + "@b",
  ])
  func `an address that could mean something else is refused`(text: String) {
    #expect(MailAddress(text) == nil)
  }

  @Test func `usual addresses are accepted`() {
    for text in ["a@b", "first.last+tag@mail.example.org", "o'neil@example.org"] {
      #expect(MailAddress(text)?.text == text)
    }
  }
}
