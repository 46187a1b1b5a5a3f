import TernBase

/// The plain text and the HTML of a mail. Nothing in them is loaded from elsewhere.
extension MailMessage {
  /// The maximum size of all tables, in bytes of each text: less than ``maximumTextBytes``, where HTML would be cut in
  /// the middle, and less than the size up to which clients show a mail.
  static let maximumSectionBytes = 56 << 10

  /// The tables that fit, and a note about the others.
  var fittingSections: [MailSection] {
    var (plain, html) = (0, 0)
    let fitting = message.sections.prefix { section in
      plain += section.plainText.utf8.count + 2
      html += section.html.utf8.count
      return max(plain, html) <= Self.maximumSectionBytes
    }
    let more = message.sections.count - fitting.count
    guard more > 0 else { return message.sections }
    return fitting + [MailSection("\(more) more", note: "These tables don't fit into the mail. The page has them.")]
  }

  func plainText(_ sections: [MailSection]) -> String {
    let parts =
      [message.text, message.facts.map { "\($0.label): \($0.text)" }.joined(separator: "\n")].filter { !$0.isEmpty }
      + sections.map(\.plainText) + (message.link.map { [$0] } ?? [])
      + (message.unsubscribeLink.map { ["Unsubscribe from this report:\n\($0)"] } ?? [])
    return parts.joined(separator: "\n\n")
  }

  func html(_ sections: [MailSection]) -> String {
    let rows = message.facts.map { fact in
      "<tr><th align=\"left\">\(Self.escaped(fact.label))</th><td>\(Self.escaped(fact.text))</td></tr>\n"
    }
    let link = message.link.map { "<p><a href=\"\(Self.escaped($0))\">\(Self.escaped($0))</a></p>\n" } ?? ""
    let end =
      message.unsubscribeLink.map {
        "<p><small><a href=\"\(Self.escaped($0))\">Unsubscribe from this report</a></small></p>\n"
      } ?? ""
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">\
      <title>\(Self.escaped(message.title))</title></head><body style="font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
      <h1 style="font-size:1.2em">\(Self.escaped(message.title))</h1>
      <p>\(Self.escaped(message.text))</p>
      \(rows.isEmpty ? "" : "<table cellpadding=\"4\">\n\(rows.joined())</table>\n")\
      \(sections.map(\.html).joined())\(link)\(end)</body></html>
      """
  }
}
