import TernEvents

extension PostFormat {
  /// The form of the chat that an address belongs to.
  static let chat = PostFormat("chat") { $1.isTeams ? $0.teamsJSON : $0.chatJSON }
  static let slack = PostFormat("slack") { message, _ in message.chatJSON }
  static let mattermost = PostFormat("mattermost") { message, _ in message.chatJSON }
}

extension OutgoingMessage {
  /// The message as JSON with one text: the form that incoming webhooks of Slack and Mattermost share.
  package var chatJSON: [UInt8] {
    var json = JSONWriter()
    json.raw("{\"text\":")
    json.string(ChatText.escaped("\(title)\n\(plainText)"))
    json.raw("}")
    return json.bytes
  }
}

enum ChatText {
  /// Escapes text so that Slack finds no links, mentions or channels (`<!channel>`) in it, and Mattermost no links, pictures or
  /// mentions.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      // A zero-width space after the @ keeps @all and @channel from notifying everyone.
      .replacing("@", with: "@\u{200B}")
      // And one after the ] keeps it from being a link's text.
      .replacing("]", with: "]\u{200B}")
  }
}
