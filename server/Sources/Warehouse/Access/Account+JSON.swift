package import JSON

extension Account {
  /// The most apps of an account.
  package static let maximumApps = 1_000

  package static let members: [JSONMember<Account>] = [
    .shown("id", .count) { .integer($0.id) },
    .shown("name", .text) { .text($0.name) },
    .shown("role", .choice(Role.self)) { .text($0.role.rawValue) },
    .shown("apps", .nullable(.list(.count))) { account in
      account.apps.map { .array($0.sorted().map { .integer($0.rawValue) }) } ?? .null
    },
    .shown("personalData", .boolean) { .boolean($0.rights.permissions.contains(.readPersonalData)) },
    .shown("hasPassword", .boolean) { .boolean($0.hasPassword) },
    .shown("hasSecondFactor", .boolean) { .boolean($0.hasSecondFactor) },
    .shown("lastLogin", .nullable(.time).described("Null until the invitation is used.")) { .time($0.lastLogin) },
  ]
}

extension AccountChange {
  package static let members: [JSONMember<AccountChange>] = [
    .optional("role", \.role, .choice),
    .change("apps", \.apps, JSONCodec.list(.app, 1...Account.maximumApps).mapped({ Set($0) }, { $0.sorted() }))
      .described("The numbers of the apps that the user sees; null for all, also later ones."),
    .optional("personalData", \.seesPersonalData, .boolean)
      .described("True if a viewer may see single events and errors. Editors and owners may in any case."),
  ]
}

/// An account to create, of a viewer unless its rights say otherwise.
package struct NewAccount: Sendable {
  package var name = ""
  package var rights = AccountChange()

  package init() {}

  package static let members: [JSONMember<NewAccount>] =
    [.required("name", \.name, .name).example(.text("ann"))]
    + AccountChange.members.lifted(\.rights).map { $0.name == "role" ? $0.described("A viewer without it.") : $0 }
}

extension LoginSession {
  package static let members: [JSONMember<LoginSession>] = [
    .shown("id", .count) { .integer($0.id) },
    .shown("user", .count) { .integer($0.account.id) },
    .shown("name", .text) { .text($0.account.name) },
    .shown("created", .time) { .time($0.created) },
    .shown("used", .time.described("The time of the last request, to five minutes.")) { .time($0.used) },
    .shown("address", .text) { .text($0.address) },
    .shown("browser", .text) { .text($0.browser) },
  ]
}
