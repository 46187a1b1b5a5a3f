import Answering
import HTTP
import HTTPTypes
import JSON
import Warehouse

/// `/api/v1/tokens`: the tokens of programs. The secret of a new one is only in the answer.
struct TokenEndpoints: Sendable {
  let catalog: any CollectorCatalog

  private static let token = JSONAnswer("Token", AccessToken.members)
  private static let newToken = JSONAnswer<(AccessToken, secret: String)>([
    .shown("token", token.schema) { token.tree($0.0) },
    .shown("secret", .text.described("The value that programs send. It can't be read again.")) { .text($0.secret) },
  ]).created

  func add(to api: EndpointGroup) {
    let tokens = api.group("/tokens", .manageAccess)
    tokens.get("", "listTokens", "All tokens, without their secrets.", .list("tokens", of: Self.token)) { _ in
      try catalog.tokens()
    }
    tokens.on(
      .post, "", "createToken", "Creates a token. Its secret is only in this answer.",
      JSONBody("TokenInput", NewToken.members), Self.newToken
    ) { try create(try $1.value(from: NewToken()), isPerson: try $0.visitor.session != nil) }
    tokens.delete("/:token", "revokeToken", "Ends a token at once.") { call in
      let unknown = APIError.unknown("token", "There is no token with this number.")
      guard try catalog.revokeToken(try call.number("token", else: unknown)) else { throw unknown }
    }
  }

  private func create(_ wanted: NewToken, isPerson: Bool) throws -> (AccessToken, secret: String) {
    // Otherwise a token could create its own successor before it expires.
    guard isPerson || !wanted.scopes.contains(.administer) else {
      throw APIError(
        status: .forbidden, code: "not_allowed",
        message:
          "A token can't create a token with the scope administer. Log in as an owner, or run `tern tokens create`.")
    }
    if let app = wanted.app { try catalog.requireApp(app) }
    return try catalog.createToken(
      name: wanted.name, scopes: Set(wanted.scopes), app: wanted.app, lasting: wanted.days.map { .seconds($0 * 86_400) }
    )
  }
}
