package import JSON
import TernEvents
package import Warehouse

// Cards name pages, which are the portal's.

extension Dashboard {
  /// Its members, in the order of their names.
  package static let members: [JSONMember<Dashboard>] = [
    .shown("author", .text.described("The account or token that made the last change.")) { .text($0.author) },
    .required("cards", \.cards, .list(DashboardCard.codec, 0...maximumCards)),
    .shown("changed", .time) { .time($0.changed) },
    .shown("id", .count) { .integer($0.id) },
    .required("name", \.name, .name),
  ]
}

extension DashboardCard {
  /// Left out of the JSON of a card that isn't wide.
  fileprivate var wide: Bool? {
    get { isWide ? true : nil }
    set { isWide = newValue ?? false }
  }

  private static let members: [JSONMember<DashboardCard>] = [
    .required("name", \.name, .text.specified(.text(1...100))),
    .required("page", \.page, .text.specified(.choice(QuestionPage.ofCards.map(\.rawValue)))),
    // The catalog limits its length, as it is once it is checked.
    .required("query", \.query, .text(atMost: .max))
      .described("The query of the page's address, for example `metric=users&by=version`."),
    .optional("wide", \.wide, .boolean, isWritten: false)
      .described("True if the card takes the whole width of the page."),
  ]

  fileprivate static let codec = JSONCodec<DashboardCard>(members.answerSchema().named("Card")) {
    node throws(JSONFault) in
    var card = DashboardCard(name: "", page: "", query: "")
    try members.set(from: node, on: &card)
    return card
  } encode: {
    .object(members.encode($0))
  }
}
