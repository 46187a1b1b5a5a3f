package import Warehouse

/// The originator of a request: a person who is logged in, or a program with a token.
package struct Visitor: Sendable {
  /// The name in the audit log.
  package let name: String
  package let rights: Rights
  /// The login of a person; `nil` for programs.
  package let session: LoginSession?

  package init(_ session: LoginSession) {
    name = session.account.name
    rights = session.account.rights
    self.session = session
  }

  package init(_ token: AccessToken) {
    name = "token \(token.name)"
    rights = token.rights
    session = nil
  }

  /// A reader of a page that is shared by a link.
  package init(guestOf app: App) {
    name = "shared link"
    rights = Rights([.read], apps: [app.id])
    session = nil
  }

  /// True if the visitor may use an endpoint, for an app if its address names one.
  func meets(_ requirement: Endpoint.Requirement, app: App?, _ context: CollectorContext) -> Bool {
    switch requirement {
    case .nothing: true
    case .login: session != nil
    case .server: rights.apps == nil && rights.allows(session == nil ? .read : .administer)
    default: requirement.permission(context).map { rights.allows($0, app: app?.id) } ?? false
    }
  }

  /// The apps that the visitor may see.
  package func visible(_ apps: [App]) -> [App] { apps.filter { rights.allows(.read, app: $0.id) } }
}
