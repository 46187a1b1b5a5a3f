import Foundation
import TernEvents
import Testing

@testable import Outgoing

/// Mails of reports.
@Suite struct MailSectionTests {
  private static let id = UniqueID(high: 1, low: 2)

  private func mail(_ sections: [MailSection], unsubscribeLink: String? = nil) throws -> String {
    var message = OutgoingMessage(
      id: Self.id, time: Timestamp(millisecondsSince1970: 1_795_763_400_000), event: "report.mail",
      title: "Radio: Overview, Thu, 26 Nov 2026", text: "The figures for Thu, 26 Nov 2026.", sections: sections,
      link: "https://tern.example.org/apps/1/overview")
    message.unsubscribeLink = unsubscribeLink
    let mail = MailMessage(
      message: message, from: try #require(MailAddress("tern@example.org")),
      to: try #require(MailAddress("a@example.org")))
    return String(decoding: mail.bytes, as: UTF8.self)
  }

  private let figures = MailSection(
    "Figures", columns: ["", "Now", "Change", "Before"],
    rows: [.init(["Active users", "1,234", "+12.5 %", "1,097"], share: 0.5), .init(["Events", "7", "–", "–"])],
    sparklines: [.init("Users per day", [0, 1, 50, nil, 100])])

  @Test func `a report is this mail`() throws {
    let mail = try mail([figures], unsubscribeLink: "https://tern.example.org/unsubscribe/1-a-b")
    #expect(mail == Self.expected.replacing("\n", with: "\r\n"))
  }

  @Test func `one click needs https, and alerts have no such headers`() throws {
    let plain = try mail([], unsubscribeLink: "http://localhost:8080/unsubscribe/1-a-b")
    #expect(plain.contains("\r\nList-Unsubscribe: <http://localhost") && !plain.contains("List-Unsubscribe-Post"))
    #expect(!(try mail([])).contains("nsubscribe"))
  }

  @Test func `bars and sparklines show their figures`() {
    #expect(MailSection.bar(1) == String(repeating: "█", count: 12) && MailSection.bar(0) == "")
    #expect(MailSection.bar(1.0 / 96) == "▏" && MailSection.bar(.nan) == "")
    #expect(MailSection.bar(9) == MailSection.bar(1))
    #expect(MailSection.Sparkline("", [0, 0.1, 100, -5]).blocks == "▁▂█▁")
    #expect(MailSection.Sparkline("", [0, nil, 0]).blocks == "▁·▁")
  }

  @Test(arguments: [[0, 0], [.infinity, nil], [97.1, 95.7, 100, 99.2], [5], []] as [[Double?]])
  func `a sparkline whose blocks would be the same is its caption alone`(values: [Double?]) throws {
    #expect(MailSection.Sparkline("", values).blocks == nil)
    let mail = try mail([MailSection("Figures", sparklines: [.init("Crash-free users (95.7 % to 100 %)", values)])])
    #expect(
      mail.contains("Crash-free users (95.7 % to 100 %)\r\n") && !mail.contains("Crash-free users (95.7 % to 100 %):"))
  }

  @Test func `texts of reports are escaped`() throws {
    let mail = try mail([
      MailSection(
        "<h1>", columns: ["<b>", "\""], rows: [.init(["<script>", "&"])], sparklines: [.init("<i>", [1])], note: "<u>")
    ])
    let html = try #require(mail.components(separatedBy: "text/html").last).replacing("=\r\n", with: "")
    for tag in ["<script>", "<b>", "<i>", "<u>"] { #expect(!html.contains(tag), "\(tag)") }
    #expect(html.contains("&lt;script&gt;"))
  }

  @Test func `what doesn't fit into a mail is left out as a whole`() throws {
    let long = MailSection(
      "Long", columns: ["", "Users"],
      rows: (0..<40).map { .init(["\($0) " + String(repeating: "ü<", count: 60), "1"]) })
    let message = OutgoingMessage(
      id: Self.id, time: Timestamp(millisecondsSince1970: 0), event: "report.mail", title: "x", text: "x",
      sections: Array(repeating: long, count: 24))
    let mail = MailMessage(
      message: message, from: try #require(MailAddress("a@b")), to: try #require(MailAddress("a@b")))
    let sections = mail.fittingSections
    #expect(sections.count > 1 && sections.count < 24)
    #expect(sections.last?.heading == "\(24 - sections.count + 1) more")
    #expect(mail.html(sections).utf8.count <= MailMessage.maximumTextBytes && mail.html(sections).hasSuffix("</html>"))
    #expect(mail.plainText(sections).utf8.count <= MailMessage.maximumTextBytes)
  }

  @Test func `a message with tables is stored as it is, and one without as before`() throws {
    var message = OutgoingMessage(
      id: Self.id, time: Timestamp(millisecondsSince1970: 5), event: "report.mail", title: "x", text: "y",
      sections: [figures])
    #expect(try JSONDecoder().decode(OutgoingMessage.self, from: try JSONEncoder().encode(message)) == message)
    message.sections = []
    #expect(!String(decoding: try JSONEncoder().encode(message), as: UTF8.self).contains("sections"))
  }

  private static let expected = """
    From: Tern <tern@example.org>
    To: <a@example.org>
    Date: Fri, 27 Nov 2026 07:10:00 +0000
    Message-ID: <00000000-0000-0001-0000-000000000002.gvrdh8be69c@example.org>
    X-Tern-Id: 00000000-0000-0001-0000-000000000002
    Subject: Radio: Overview, Thu, 26 Nov 2026
    List-Unsubscribe: <https://tern.example.org/unsubscribe/1-a-b>
    List-Unsubscribe-Post: List-Unsubscribe=One-Click
    Auto-Submitted: auto-generated
    MIME-Version: 1.0
    Content-Type: multipart/alternative; boundary="=_tern_00000000-0000-0001-0000-000000000002"

    --=_tern_00000000-0000-0001-0000-000000000002
    Content-Type: text/plain; charset=utf-8
    Content-Transfer-Encoding: quoted-printable

    The figures for Thu, 26 Nov 2026.

    =46igures
    -------
                    Now   Change  Before
    Active users  1,234  +12.5 %   1,097  =E2=96=88=E2=96=88=E2=96=88=E2=96=88=
    =E2=96=88=E2=96=88
    Events            7        =E2=80=93       =E2=80=93
    Users per day: =E2=96=81=E2=96=82=E2=96=85=C2=B7=E2=96=88

    https://tern.example.org/apps/1/overview

    Unsubscribe from this report:
    https://tern.example.org/unsubscribe/1-a-b
    --=_tern_00000000-0000-0001-0000-000000000002
    Content-Type: text/html; charset=utf-8
    Content-Transfer-Encoding: quoted-printable

    <!doctype html>
    <html lang=3D"en"><head><meta charset=3D"utf-8"><meta name=3D"color-scheme"=
     content=3D"light dark"><title>Radio: Overview, Thu, 26 Nov 2026</title></h=
    ead><body style=3D"font-family:system-ui,-apple-system,'Segoe UI',Roboto,He=
    lvetica,Arial,sans-serif">
    <h1 style=3D"font-size:1.2em">Radio: Overview, Thu, 26 Nov 2026</h1>
    <p>The figures for Thu, 26 Nov 2026.</p>
    <h2 style=3D"font-size:1.1em;margin:1.5em 0 .3em">Figures</h2>
    <table cellpadding=3D"4" style=3D"border-collapse:collapse">
    <tr style=3D"border-bottom:1px solid #999"><th scope=3D"col" align=3D"left"=
    ></th><th scope=3D"col" align=3D"right">Now</th><th scope=3D"col" align=3D"=
    right">Change</th><th scope=3D"col" align=3D"right">Before</th></tr>
    <tr style=3D"border-bottom:1px solid #999"><th scope=3D"row" align=3D"left"=
     style=3D"font-weight:normal">Active users</th><td align=3D"right">1,234</t=
    d><td align=3D"right">+12.5 %</td><td align=3D"right">1,097</td><td aria-hi=
    dden=3D"true" style=3D"color:#3b78c3;white-space:nowrap">=E2=96=88=E2=96=88=
    =E2=96=88=E2=96=88=E2=96=88=E2=96=88</td></tr>
    <tr style=3D"border-bottom:1px solid #999"><th scope=3D"row" align=3D"left"=
     style=3D"font-weight:normal">Events</th><td align=3D"right">7</td><td alig=
    n=3D"right">=E2=80=93</td><td align=3D"right">=E2=80=93</td></tr>
    </table>
    <p style=3D"margin:.6em 0">Users per day: <span aria-hidden=3D"true" style=
    =3D"color:#3b78c3;white-space:nowrap">=E2=96=81=E2=96=82=E2=96=85=C2=B7=E2=
    =96=88</span></p>
    <p><a href=3D"https://tern.example.org/apps/1/overview">https://tern.exampl=
    e.org/apps/1/overview</a></p>
    <p><small><a href=3D"https://tern.example.org/unsubscribe/1-a-b">Unsubscrib=
    e from this report</a></small></p>
    </body></html>
    --=_tern_00000000-0000-0001-0000-000000000002--

    """
}

/// The tokens of unsubscribe links.
@Suite struct UnsubscribeTokenTests {
  private let secret = Array("secret".utf8)

  @Test func `a token is for one recipient of one report`() throws {
    let (a, b) = (try #require(MailAddress("a@example.org")), try #require(MailAddress("b@example.org")))
    let text = UnsubscribeToken.make(3, a, secret: secret)
    // Computed with another library: links in mails that were sent stay valid.
    #expect(text == "3-5891404761d154d09a696d3b7ee0b730-48e375c05ddf84cbbb72f69feadfc603")
    let token = try #require(UnsubscribeToken(text, secret: secret))
    #expect(token.report == 3 && token.isFor(a, secret: secret) && !token.isFor(b, secret: secret))
    let other = try #require(UnsubscribeToken(UnsubscribeToken.make(4, a, secret: secret), secret: secret))
    #expect(other.receiver != token.receiver, "tokens don't reveal that two reports have the same recipient")
  }

  @Test func `a token that was changed or made elsewhere is refused`() throws {
    let address = try #require(MailAddress("a@example.org"))
    let text = UnsubscribeToken.make(3, address, secret: secret)
    let bytes = Array(text.utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] = changed[index] == 0x31 ? 0x32 : 0x31
      #expect(UnsubscribeToken(String(decoding: changed, as: UTF8.self), secret: secret) == nil, "\(index)")
    }
    #expect(UnsubscribeToken(text, secret: Array("other".utf8)) == nil)
    #expect(UnsubscribeToken("4" + text.dropFirst(), secret: secret) == nil)
    for text in ["", "-", "--", "3--", "3-a-b-c", "0-a-b", "-3-a-b", String(repeating: "3-", count: 1_000)] {
      #expect(UnsubscribeToken(text, secret: secret) == nil, "\(text.prefix(20))")
    }
  }
}
