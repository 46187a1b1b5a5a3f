import Foundation
import ServerBase
import TernEvents
import Testing

@testable import Outgoing

@Suite struct DestinationTests {
  @Test func `destinations are read as they are written`() throws {
    for text in ["mail:a@b.example", "webhook:https://example.org/hook?k=1", "chat:http://example.org:8080/x"] {
      #expect(try Destination(text).text == text)
    }
    for text in [
      "", "mail", "mail:", "mail:x", "fax:123", "webhook:", "webhook:ftp://example.org/", "webhook:file:///etc/passwd",
      "webhook:https://", "webhook:https://user:pw@example.org/", "webhook:https://example.org/#x",
      "webhook:https://example.org/a b", "webhook:https://example.org/\r\nX: y", "chat:gopher://example.org",
      "webhook:https://exämple.org/", "webhook:https://example.org\\@evil/",
      "webhook:https://example.org/"
        + String(repeating: "x", count: 2_000),
    ] {
      #expect(throws: OutgoingError.self, "\(text)") { try Destination(text) }
    }
  }

  @Test func `help and errors name all forms of destinations`() throws {
    let forms = Destination.forms()
    #expect(forms.hasPrefix("mail:ADDRESS, webhook:URL") && forms.contains(" or "))
    for format in PostFormat.all {
      #expect(forms.contains("\(format.name):URL"))
      let text = "\(format.name):https://example.org/x"
      #expect(try Destination(text).text == text)
    }
    #expect {
      try Destination("fax:1")
    } throws: {
      ($0 as? OutgoingError)?.message.contains(forms) == true
    }
  }

  @Test func `the path of a hook is not shown`() throws {
    #expect(try Destination("chat:https://hooks.example.org/T0/SECRET").shown == "chat:https://hooks.example.org/…")
    let hook = try Destination("webhook:https://example.org/T0/SECRET?key=TOKEN")
    for answer in ["Cannot POST /T0/SECRET?key=TOKEN", "/T0/SECRET is gone", "key=TOKEN is wrong"] {
      let shown = hook.withoutSecret(answer)
      #expect(!shown.contains("SECRET") && !shown.contains("TOKEN"), "\(shown)")
    }
    #expect(try Destination("webhook:https://example.org/").withoutSecret("a/b is wrong") == "a/b is wrong")
  }

  @Test(arguments: [
    #"{"error":"no route \/services\/T0AB\/B0-x_9\/SECRETtoken42"}"#, "secrettoken42 is unknown",
    "There is no &quot;SECRETtoken42&quot;",
    "cut: /services/T0AB/B0-x_9/SECRETto", "The key is TOK+EN99.", "key=TOK%2BEN99", "SECRET-token-42",
    #"{"at":"services\u002fT0AB\u002fB0-x_9\u002fSECRETtoken42"}"#,
  ])
  func `an answer doesn't show parts of a hook's address, however it writes them`(answer: String) throws {
    let hook = try Destination("webhook:https://hooks.example.org/services/T0AB/B0-x_9/SECRETtoken42?key=TOK%2BEN99")
    let shown = hook.withoutSecret(answer).lowercased()
    #expect(shown.contains("…"))
    for part in ["secret", "token", "b0-x", "tok+en", "en99", "t0ab"] { #expect(!shown.contains(part), "\(shown)") }
  }

  @Test(arguments: [
    "invalid_payload", "HTTP/1.1 404 Not Found", "Service unavailable", "The receiver is busy.", "50% done",
  ])
  func `an answer without parts of the address is shown as it is`(answer: String) throws {
    let hook = try Destination(
      "webhook:https://hooks.example.org/services/T0AB/B0-x_9/SECRETtoken42?key=TOK%2BEN99&v=1")
    #expect(hook.withoutSecret(answer) == answer)
  }

  @Test func `mail servers need TLS unless they are here or the operator says so`() throws {
    let expected: [String: MailServer.Protection] = [
      "smtp://mail.example.org": .required, "smtp://mail.example.org:587": .required,
      "smtps://mail.example.org": .required, "smtp://localhost": .offered, "smtp://127.0.0.1:25": .offered,
      "smtp://localhost?tls=required": .required, "smtp://mail.example.org?tls=none": .none,
      "smtp://localhost?tls=none": .none, "smtps://localhost": .required,
    ]
    for (text, protection) in expected { #expect(try MailServer(text).protection == protection, "\(text)") }
    for text in [
      "", "mail.example.org", "http://mail.example.org", "smtp://", "smtp://u:p@mail.example.org",
      "smtps://mail.example.org?tls=none", "smtp://mail.example.org/x", "smtp://mail.example.org?tls=maybe",
    ] {
      #expect(throws: OutgoingError.self, "\(text)") { try MailServer(text) }
    }
  }

  @Test(arguments: [
    "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "168.63.129.16", "100.64.0.1", "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.255.255.250", "255.255.255.255",
    "240.0.0.1",
    "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::",
    "2001::1", "2001:db8::1", "fd00:ec2::254", "3fff::1", "fec0::1",
  ])
  func `addresses inside networks are refused`(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressPolicy().accepts(address))
    #expect(AddressPolicy(allowing: try ["0.0.0.0/0", "::/0"].map { try #require(AddressBlock($0)) }).accepts(address))
  }

  @Test(arguments: [
    "1.1.1.1", "172.32.0.1", "8.8.8.8", "192.0.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
  ])
  func `addresses of the internet are accepted`(text: String) throws {
    #expect(AddressPolicy().accepts(try #require(IPAddress(text))))
  }

  private func client(_ allowed: [String] = []) throws -> OutgoingClient {
    OutgoingClient(
      .init(
        addresses: AddressPolicy(allowing: try allowed.map { try #require(AddressBlock($0)) }), secret: [1, 2, 3],
        timeout: .seconds(5))
    ) { Timestamp(millisecondsSince1970: 1_795_000_000_000) }
  }

  private let message = OutgoingMessage(
    id: UniqueID(high: 1, low: 2), time: Timestamp(millisecondsSince1970: 1_795_000_000_000), event: "alert.test",
    title: "Hello <!channel>", text: "@all", facts: [.init("value", "Figure", .number(0.5), text: "0.5")])

  @Test(arguments: [
    "http://127.0.0.1:9/", "http://localhost:9/", "http://[::1]:9/", "http://2130706433:9/", "http://0x7f.1:9/",
    "http://[::ffff:127.0.0.1]:9/", "http://0:9/", "http://127.1:9/",
  ])
  func `no spelling of a local address is connected to`(url: String) async throws {
    let destination = try Destination("webhook:\(url)")
    let client = try client()
    await #expect {
      try await client.send(message, to: destination)
    } throws: { error in
      (error as? OutgoingError)?.code == .refusedAddress && (error as? OutgoingError)?.isFinal == true
    }
  }

  @Test func `allowed addresses are connected to`() async throws {
    let client = try client(["127.0.0.0/8"])
    await #expect {
      // Nothing listens there.
      try await client.send(message, to: try Destination("webhook:http://127.0.0.1:9/"))
    } throws: { error in
      (error as? OutgoingError)?.code == .connection && (error as? OutgoingError)?.isFinal == false
    }
  }

  @Test func `a message is JSON for programs and one text for chats`() throws {
    let json = try #require(try JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
    #expect(json["id"] as? String == "00000000-0000-0001-0000-000000000002")
    #expect(json["time"] as? String == "2026-11-18T11:06:40Z" && json["event"] as? String == "alert.test")
    #expect((json["facts"] as? [String: Any])?["value"] as? Double == 0.5)
    let chat = try #require(try JSONSerialization.jsonObject(with: Data(message.chatJSON)) as? [String: String])
    let text = try #require(chat["text"])
    let link = OutgoingMessage(id: message.id, time: message.time, event: "x", title: "[a](http://b) ![c][d]", text: "")
    let escaped = String(decoding: link.chatJSON, as: UTF8.self)
    #expect(!escaped.contains("](") && !escaped.contains("]["), "\(escaped)")
    #expect(chat.count == 1 && !text.contains("<!") && !text.contains("@all") && text.contains("Figure: 0.5"))
    #expect(try JSONDecoder().decode(OutgoingMessage.self, from: try JSONEncoder().encode(message)) == message)
  }

  @Test func `Teams gets a card whose texts are literal, and a chat the form of its address`() throws {
    let message = OutgoingMessage(
      id: message.id, time: message.time, event: "x", title: "[a](http://b) <at>all</at>", text: "**5**",
      facts: [OutgoingMessage.Fact("value", "Figure", "0.5")], link: "https://tern.example.org/a?b=1&c=2")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(message.teamsJSON)) as? [String: Any])
    let attachment = try #require((json["attachments"] as? [[String: Any]])?.first)
    #expect(json["type"] as? String == "message")
    #expect(attachment["contentType"] as? String == "application/vnd.microsoft.card.adaptive")
    let card = try #require(attachment["content"] as? [String: Any])
    let blocks = try #require(card["body"] as? [[String: Any]])
    // Markdown isn't read in these, but in a TextBlock.
    #expect(blocks.allSatisfy { $0["type"] as? String == "RichTextBlock" })
    let texts = blocks.map { ($0["inlines"] as? [[String: String]])?.compactMap { $0["text"] }.joined() }
    #expect(texts == [message.title, message.text, "Figure: 0.5"])
    #expect((card["actions"] as? [[String: String]])?.first?["url"] == message.link)
    for (address, isTeams) in [
      ("https://prod-1.westus.logic.azure.com:443/workflows/x", true),
      ("https://x.y.environment.api.powerplatform.com/powerautomate/z", true),
      ("https://Contoso.WEBHOOK.office.com/webhookb2/x", true), ("https://hooks.slack.com/services/x", false),
      ("https://evil-logic.azure.com/x", false), ("https://logic.azure.com.example.org/x", false),
    ] {
      let address = try #require(WebAddress(address))
      #expect(PostFormat.chat.body(message, address) == (isTeams ? message.teamsJSON : message.chatJSON), "\(address)")
      #expect(PostFormat.teams.body(message, address) == message.teamsJSON)
    }
  }

  @Test func `the signature is the HMAC of time and body`() throws {
    let client = try client()
    let (one, two) = (
      try #require(WebAddress("https://example.org/1")), try #require(WebAddress("https://example.org/2"))
    )
    #expect(client.secret(of: one) != client.secret(of: two) && client.secret(of: one).count == 64)
    let signature = client.signature(of: Array("body".utf8), at: 1_795_000_000, for: one)
    // Computed with another library: receivers have the secret since earlier versions.
    #expect(client.secret(of: one) == "6c91f12854cb6218e4224a7ef1d2c76dc52edd89a7a064e6f577e3e7e8eaf31b")
    #expect(signature == "t=1795000000,v1=6f1321ef5746d19b898c1350769226b8da2820e38f10a83f7a3428d3f6625d3a")
    #expect(signature != client.signature(of: Array("body!".utf8), at: 1_795_000_000, for: one))
    #expect(signature != client.signature(of: Array("body".utf8), at: 1_795_000_001, for: one))
  }
}
