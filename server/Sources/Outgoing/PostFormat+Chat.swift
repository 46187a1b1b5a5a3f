import TernEvents

extension PostFormat {
  /// JSON that consists of one text.
  static let chat = PostFormat("chat") { $0.chatJSON }
}

extension OutgoingMessage {
  /// The message as JSON with one text: the form that incoming webhooks of Slack, Mattermost and Teams share.
  package var chatJSON: [UInt8] {
    var json = JSONWriter()
    json.raw("{\"text\":")
    json.string(ChatText.escaped("\(title)\n\(plainText)"))
    json.raw("}")
    return json.bytes
  }
}

enum ChatText {
  /// Escapes text so that Slack finds no links, mentions or channels (`<!channel>`) in it, and Mattermost and Teams no links,
  /// pictures or mentions.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      // A zero-width space after the @ keeps @all and @channel from notifying everyone.
      .replacing("@", with: "@\u{200B}")
      // And one after the ] keeps it from being a link's text.
      .replacing("]", with: "]\u{200B}")
  }
}
