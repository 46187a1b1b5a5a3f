package import JSON

extension AccessToken {
  package static let members: [JSONMember<AccessToken>] = [
    .shown("id", .count) { .integer($0.id) },
    .shown("name", .text) { .text($0.name) },
    .shown("scopes", .list(.choice(Scope.self))) { token in
      .texts(Scope.allCases.filter(token.scopes.contains).map(\.rawValue))
    },
    .shown("app", .nullable(.count.described("The only app; null for all."))) { .integer($0.app?.rawValue) },
    .shown("created", .time) { .time($0.created) },
    .shown("used", .nullable(.time)) { .time($0.used) },
    .shown("expires", .nullable(.time)) { .time($0.expires) },
  ]
}

package struct NewToken: Sendable {
  package var name = ""
  package var scopes: [AccessToken.Scope] = []
  package var app: AppID?
  /// The days after which it ends; `nil` for never.
  package var days: Int?

  package init() {}

  package static let members: [JSONMember<NewToken>] = [
    .required("name", \.name, .name).example(.text("nightly export")),
    .required("scopes", \.scopes, .list(.choice, 1...AccessToken.Scope.allCases.count))
      .described("`write` needs an app. `administer` takes none and needs an owner who is logged in."),
    .optional("app", \.app, .app),
    .optional("days", \.days, .integer(1...3_650)),
  ]
}
