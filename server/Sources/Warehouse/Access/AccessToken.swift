package import TernEvents

/// A token with which a program uses the server.
package struct AccessToken: Sendable, Hashable {
  /// The groups of actions that a token can be allowed.
  package enum Scope: String, Sendable, CaseIterable {
    /// Sends events of its app.
    case write
    /// Reads reports.
    case read
    /// Reads reports, and single events and errors with personal data.
    case export
    /// Reads, changes, creates and deletes apps, and what is in them; with an app, reads and changes only that app.
    case manage
    /// Does everything that an owner does, including users, tokens and the audit log. No other scope includes it.
    case administer
  }

  /// The number of the token.
  package var id: Int64
  /// The name, for people.
  package var name: String
  /// The allowed groups of actions.
  package var scopes: Set<Scope>
  /// The only app, or `nil` for all.
  package var app: AppID?
  /// The time of creation.
  package var created: Timestamp
  /// The approximate time of the last request.
  package var used: Timestamp?
  /// The time at which the token ends; `nil` for never.
  package var expires: Timestamp?

  package init(
    id: Int64, name: String, scopes: Set<Scope>, app: AppID?, created: Timestamp, used: Timestamp? = nil,
    expires: Timestamp? = nil
  ) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.app = app
    self.created = created
    self.used = used
    self.expires = expires
  }

  /// The allowed actions.
  package var rights: Rights {
    var permissions: Set<Permission> = []
    for scope in scopes {
      switch scope {
      case .write: permissions.insert(.send)
      case .read: permissions.insert(.read)
      case .export: permissions.formUnion([.read, .readPersonalData])
      case .manage: permissions.formUnion([.read, .readPersonalData, .edit, .administer])
      case .administer: permissions.formUnion([.read, .readPersonalData, .edit, .administer, .manageAccess])
      }
    }
    return Rights(permissions, apps: app.map { [$0] })
  }
}

/// A link with which anyone can read one page of an app.
package struct SharedLink: Sendable, Hashable {
  /// The number of the link.
  package var id: Int64
  package var app: AppID
  /// The name of the page: of a report, of a page that asks a question, or `dashboards`.
  package var report: String
  /// The page's parameters as a query, for example `days=7&view=2`.
  package var query: String
  /// The sites that may show the page in a frame, for example `https://wiki.example.com`.
  package var sites: [String]
  /// The time of creation.
  package var created: Timestamp
  /// The time at which the link ends; `nil` for never.
  package var expires: Timestamp?

  /// Creates a link.
  package init(
    id: Int64, app: AppID, report: String, query: String, sites: [String], created: Timestamp, expires: Timestamp?
  ) {
    self.id = id
    self.app = app
    self.report = report
    self.query = query
    self.sites = sites
    self.created = created
    self.expires = expires
  }
}
