import Foundation
import ServerBase
import TernBase
import TernEvents

/// A mail as it is sent: headers of ASCII, and the same text twice, plain and as HTML.
struct MailMessage {
  /// The longest subject, in bytes.
  static let maximumSubjectBytes = 200
  /// The longest text of a mail, in bytes.
  static let maximumTextBytes = 64 << 10

  let message: OutgoingMessage
  let from: MailAddress
  let to: MailAddress

  /// The bytes that follow `DATA`, with lines that end in CR LF.
  var bytes: [UInt8] {
    // Quoted-printable text never contains "=_".
    let boundary = "=_tern_\(message.id)"
    var headers = [
      "From: Tern <\(from.text)>", "To: <\(to.text)>", "Date: \(message.time.mailDate)",
      "Message-ID: <\(identifier)@\(from.domain)>", "X-Tern-Id: \(message.id)",
      "Subject: \(Self.header(message.title))",
      // Keeps mail programs from replying automatically (RFC 3834).
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
    ]
    headers.insert(contentsOf: unsubscribeHeaders, at: 6)
    let sections = fittingSections
    var lines = headers + [""]
    for (type, text) in [("plain", plainText(sections)), ("html", html(sections))] {
      lines += [
        "--\(boundary)", "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
        Self.quotedPrintable(text.prefix(utf8Bytes: Self.maximumTextBytes)),
      ]
    }
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// The part of the message identifier before the `@`: the same in every attempt, and another one for each recipient, whose
  /// mail has a link of its own (RFC 5322 §3.6.4).
  private var identifier: String {
    var hasher = SipHasher(0x7465_726E_2D6D_6169, 0x6C2D_6964_656E_7469)
    hasher.append(field: to.text)
    return "\(message.id).\(String(hasher.finished(), radix: 36))"
  }

  /// The headers for a mail program's unsubscribe button (RFC 2369); one click is enough if the link is https (RFC
  /// 8058).
  private var unsubscribeHeaders: [String] {
    guard let address = message.unsubscribeLink else { return [] }
    let oneClick = address.hasPrefix("https://") ? ["List-Unsubscribe-Post: List-Unsubscribe=One-Click"] : []
    return ["List-Unsubscribe: <\(address)>"] + oneClick
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }

  /// Returns the value of a header: ASCII as it is, other text as encoded words (RFC 2047). Line ends become spaces, so
  /// that no text can add a header.
  static func header(_ text: String) -> String {
    let line = text.asLine.prefix(utf8Bytes: maximumSubjectBytes)
    // Long ASCII is encoded as well: only between encoded words can a line be folded anywhere.
    if line.utf8.allSatisfy({ $0 < 0x80 }), line.utf8.count <= 66, !line.contains("=?") { return line }
    var words: [String] = []
    var rest = Substring(line)
    while !rest.isEmpty {
      // An encoded word is at most 75 characters long, and must not split a character.
      let part = rest.prefix(utf8Bytes: 45)
      words.append("=?utf-8?B?\(Data(part.utf8).base64EncodedString())?=")
      rest = Substring(decoding: rest.utf8.dropFirst(part.utf8.count), as: UTF8.self)
    }
    return words.joined(separator: "\r\n ")
  }

  /// Returns text with lines of at most 76 ASCII characters (RFC 2045 §6.7).
  static func quotedPrintable(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      var lines: [String] = []
      var current = ""
      let bytes = Array(line.utf8)
      for (index, byte) in bytes.enumerated() {
        let isLast = index == bytes.count - 1
        // Some programs remove a space at the end of a line, or change a dot or "From" at its beginning.
        let isPlain =
          (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") && !(current.isEmpty && byte == UInt8(ascii: "."))
          && !(current.isEmpty && byte == UInt8(ascii: "F")) || (byte == 0x20 && !isLast)
        let part = isPlain ? String(UnicodeScalar(byte)) : "=" + hexadecimal(byte)
        if current.utf8.count + part.utf8.count > 75 {
          lines.append(current + "=")
          current = ""
        }
        current += part
      }
      return (lines + [current]).joined(separator: "\r\n")
    }.joined(separator: "\r\n")
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return text.count == 1 ? "0" + text : text
  }
}
