import TernEvents

extension PostFormat {
  /// A message with an Adaptive Card, the only form that Workflows of Teams show: they answer 202 to any other, and fail later
  /// (MicrosoftDocs/msteams-docs#11302).
  static let teams = PostFormat("teams") { message, _ in message.teamsJSON }
}

extension WebAddress {
  /// The hosts of Teams's Workflows, or the ends of their names.
  private static let teamsHosts = [
    ".logic.azure.com", ".powerplatform.com", ".powerautomate.com", ".flow.microsoft.com", ".webhook.office.com",
  ]

  /// True for an address of Microsoft Teams.
  var isTeams: Bool { Self.teamsHosts.contains { ".\(host)".hasSuffix($0) } }
}

extension OutgoingMessage {
  /// The most facts in a card, which Teams limits to 28 KB.
  private static let maximumCardFacts = 30

  /// The message as an Adaptive Card. Its texts are runs of a `RichTextBlock`, in which nothing is Markdown, a link or a mention.
  package var teamsJSON: [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","#)
    json.raw(#""contentUrl":null,"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","#)
    json.raw(#""type":"AdaptiveCard","version":"1.2","msteams":{"width":"Full"},"body":["#)
    json.block([(title, true)])
    if !text.isEmpty {
      json.raw(",")
      json.block([(text, false)])
    }
    for fact in facts.prefix(Self.maximumCardFacts) {
      json.raw(",")
      json.block([("\(fact.label): ", true), (fact.text, false)])
    }
    json.raw("]")
    if let link {
      json.raw(#","actions":[{"type":"Action.OpenUrl","title":"Open in Tern","url":"#)
      json.string(link)
      json.raw("}]")
    }
    json.raw("}}]}")
    return json.bytes
  }
}

extension JSONWriter {
  /// Writes a paragraph of runs, each in bold or not.
  fileprivate mutating func block(_ runs: [(text: String, isBold: Bool)]) {
    raw(#"{"type":"RichTextBlock","inlines":["#)
    for (index, run) in runs.enumerated() {
      if index > 0 { raw(",") }
      raw(#"{"type":"TextRun","text":"#)
      string(run.text)
      raw(run.isBold ? #","weight":"Bolder"}"# : "}")
    }
    raw("]}")
  }
}
