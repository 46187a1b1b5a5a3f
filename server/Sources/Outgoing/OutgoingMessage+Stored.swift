import TernEvents

/// The form in which a message waits in a database.
extension OutgoingMessage: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, time, event, title, text, facts, sections, link
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    guard let id = UniqueID(try members.decode(String.self, forKey: .id)) else {
      throw DecodingError.dataCorruptedError(forKey: .id, in: members, debugDescription: "Not a UUID.")
    }
    self.init(
      id: id, time: Timestamp(millisecondsSince1970: try members.decode(Int64.self, forKey: .time)),
      event: try members.decode(String.self, forKey: .event), title: try members.decode(String.self, forKey: .title),
      text: try members.decode(String.self, forKey: .text), facts: try members.decode([Fact].self, forKey: .facts),
      sections: try members.decodeIfPresent([MailSection].self, forKey: .sections) ?? [],
      link: try members.decodeIfPresent(String.self, forKey: .link))
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id.description, forKey: .id)
    try members.encode(time.millisecondsSince1970, forKey: .time)
    try members.encode(event, forKey: .event)
    try members.encode(title, forKey: .title)
    try members.encode(text, forKey: .text)
    try members.encode(facts, forKey: .facts)
    if !sections.isEmpty { try members.encode(sections, forKey: .sections) }
    try members.encodeIfPresent(link, forKey: .link)
  }
}

extension OutgoingMessage.Fact: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, label, number, text
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let text = try members.decode(String.self, forKey: .text)
    let number = try members.decodeIfPresent(Double.self, forKey: .number)
    self.init(
      try members.decode(String.self, forKey: .name), try members.decode(String.self, forKey: .label),
      number.map { .number($0) } ?? .text(text), text: text)
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(name, forKey: .name)
    try members.encode(label, forKey: .label)
    try members.encode(text, forKey: .text)
    // JSON has no infinity; the text still has it.
    if case .number(let number) = value, number.isFinite { try members.encode(number, forKey: .number) }
  }
}
