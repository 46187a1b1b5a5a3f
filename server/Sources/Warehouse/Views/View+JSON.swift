package import JSON
import ServerBase

/// A view as the API and `tern views` show it: with the rules of a day, and with all rules.
package struct ShownView: Sendable {
  package let view: View
  private let today: Day

  package init(_ view: View, today: Day) { (self.view, self.today) = (view, today) }

  package static let members: [JSONMember<ShownView>] =
    (View.Rules.members.map { member in
      .shown(member.name, member.schema()) { member.encode($0.view.rules(on: $0.today)) ?? .null }
    } + [
      .shown("id", .count) { .integer($0.view.id.rawValue) },
      .shown("app", .count) { .integer($0.view.app.rawValue) },
      .shown("name", .text) { .text($0.view.name) },
      .shown("timeZone", .text) { .text($0.view.timeZone) },
      .shown("zones", .list(.object(["since": .nullable(.time), "timeZone": .text, "zoneData": .text]))) { shown in
        .array(shown.view.zones.indices.map { shown.zone($0) })
      },
      .shown("rules", .list(View.Rules.listed.answerSchema())) { shown in
        .array(shown.view.rules.map { .object(View.Rules.listed.encode($0)) })
      },
    ]).sorted { $0.name < $1.name }

  /// A zone, the first moment to which it applies, and the zone data by which its days are counted.
  private func zone(_ index: Int) -> JSONTree {
    let zone = view.zones[index]
    return .object([
      ("since", index == 0 ? .null : .text(zone.start.utcText(withMilliseconds: true))),
      ("timeZone", .text(zone.identifier)), ("zoneData", .text(zone.rules.source.description)),
    ])
  }
}

extension View.Rules {
  fileprivate static let members: [JSONMember<View.Rules>] = [
    .shown("campaignDays", .count) { .integer($0.settings.campaignDays) },
    .shown("currency", .text) { .text($0.settings.currency) },
    .shown("filters", .list(.text)) { .texts($0.filters.map(\.description)) },
    .shown("lateness", .choice(View.Lateness.self)) { .text($0.lateness.rawValue) },
    .shown("quotas", .boolean) { .boolean($0.settings.hasQuotas) },
    .shown("sessionTimeoutMinutes", .count) { .integer($0.settings.sessionTimeout.components.seconds / 60) },
    .shown("unification", .boolean) { .boolean($0.settings.identity == .user) },
    .shown("userID", .boolean) { .boolean($0.settings.identity != .client) },
  ]

  /// The members of rules in a list, with the first day to which they apply; the first rules have `null`.
  fileprivate static let listed =
    (members + [.shown("since", .nullable(.date)) { $0.start.map { .text($0.description) } ?? .null }])
    .sorted { $0.name < $1.name }
}

/// The settings of a view in a request, whether it is new or changed.
package struct ViewRequest: Sendable {
  package var change = ViewChange()
  package var timeZone: String?
  package var countsUserIDs: Bool?
  /// True if days that would have stayed open forever may become final.
  package var endsOpenDays: Bool?

  package init() {}

  package static let newMembers: [JSONMember<ViewRequest>] =
    [.required("name", \.newName, .name), .required("timeZone", \.newZone, zone)] + rules

  package static let changeMembers: [JSONMember<ViewRequest>] =
    [.optional("name", \.change.name, .name), .optional("timeZone", \.timeZone, zone)] + rules + [
      .optional("endsOpenDays", \.endsOpenDays, .boolean)
        .described("Confirms that days which would have stayed open forever may become final.")
    ]

  private static let zone = JSONCodec.text.specified(.text.example(.text("Europe/Berlin")))

  private static let rules: [JSONMember<ViewRequest>] = [
    .optional("lateness", \.change.lateness, .choice),
    .optional("filters", \.change.filters, .list(filter, 0...1_000).specified(.list(filter.schema)))
      .described("Conditions on parameters of hits, such as `av=2.0` or `an!=Internal`."),
    .optional(
      "sessionTimeoutMinutes", \.change.sessionTimeout,
      JSONCodec.integer(1...240).mapped({ .seconds($0 * 60) }, { Int($0.components.seconds / 60) })),
    .optional("campaignDays", \.change.campaignDays, .integer(ViewSettings.campaignDays)),
    .optional("quotas", \.change.hasQuotas, .boolean),
    .optional("currency", \.change.currency, JSONCodec.text.specified(.pattern("^([A-Z]{3})?$"))),
    .optional("userID", \.countsUserIDs, .boolean)
      .described("True to count users by uid. It can't be changed later."),
    .optional("unification", \.change.hasUnification, .boolean)
      .described("With `userID`: true to count a session's hits before the first uid for that uid."),
  ]

  private static let filter = JSONCodec<ViewFilter>(.pattern("^[a-z]{1,6}!?=")) { node throws(JSONFault) in
    guard let filter = ViewFilter(try node.text()) else {
      throw node.fault("Expected parameter=value or parameter!=value, such as av=2.0.")
    }
    return filter
  } encode: {
    .text($0.description)
  }

  private var newName: String {
    get { change.name ?? "" }
    set { change.name = newValue }
  }

  private var newZone: String {
    get { timeZone ?? "" }
    set { timeZone = newValue }
  }
}
