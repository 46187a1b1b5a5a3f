package import TernEvents

/// A person who can log in.
package struct Account: Sendable, Hashable {
  /// The kinds of accounts.
  package enum Role: String, Sendable, CaseIterable {
    /// May do everything.
    case owner
    /// Reads everything about the given apps and changes their settings.
    case editor
    /// Reads the reports of the given apps; personal data only if allowed.
    case viewer
  }

  /// The number of the account.
  package var id: Int64
  /// The unique name, 1 to 100 characters.
  package var name: String
  /// The kind.
  package var role: Role
  /// The apps of an editor or viewer; `nil` for all.
  package var apps: Set<AppID>?
  /// True if a viewer may read personal data.
  package var seesPersonalData: Bool
  /// True once the person has chosen a password.
  package var hasPassword: Bool
  /// True if a login with the password, or a login link, asks for a code as well.
  package var hasSecondFactor: Bool
  /// The time of the last login.
  package var lastLogin: Timestamp?

  package init(
    id: Int64, name: String, role: Role, apps: Set<AppID>? = nil, seesPersonalData: Bool = false,
    hasPassword: Bool = false, hasSecondFactor: Bool = false, lastLogin: Timestamp? = nil
  ) {
    self.id = id
    self.name = name
    self.role = role
    self.apps = apps
    self.seesPersonalData = seesPersonalData
    self.hasPassword = hasPassword
    self.hasSecondFactor = hasSecondFactor
    self.lastLogin = lastLogin
  }

  /// The allowed actions.
  package var rights: Rights {
    switch role {
    case .owner: Rights([.read, .readPersonalData, .edit, .administer, .manageAccess], apps: nil)
    case .editor: Rights([.read, .readPersonalData, .edit], apps: apps)
    case .viewer: Rights(seesPersonalData ? [.read, .readPersonalData] : [.read], apps: apps)
    }
  }
}

/// A change to an account. Properties that are `nil` keep their current values.
package struct AccountChange: Sendable, Hashable {
  package var role: Account.Role?
  /// The apps; an inner `nil` stands for all.
  package var apps: Set<AppID>??
  /// True if a viewer may read personal data.
  package var seesPersonalData: Bool?

  /// Creates a change.
  package init(role: Account.Role? = nil, apps: Set<AppID>?? = nil, seesPersonalData: Bool? = nil) {
    self.role = role
    self.apps = apps
    self.seesPersonalData = seesPersonalData
  }
}

/// The outcome of a code of a second factor.
package enum CodeOutcome: Sendable, Hashable {
  case right
  case wrong
  /// Not looked at, since there were too many wrong ones.
  case closed
}

/// A login of an account in one browser.
package struct LoginSession: Sendable, Hashable {
  /// The number of the session.
  package var id: Int64
  /// The account, with its current rights.
  package var account: Account
  /// The time of the login.
  package var created: Timestamp
  /// The approximate time of the last request.
  package var used: Timestamp
  /// The address that logged in.
  package var address: String
  /// The browser's description of itself.
  package var browser: String
  /// The id of the provider with which the person signed in; `nil` for a password or a login link.
  package var provider: String?
  /// True if, when the session was read, the login or the last confirmation with the password was at most 15 minutes ago. Only then may
  /// the session change who has access: its browser may have been left open.
  package var isConfirmed: Bool

  /// Creates a session.
  package init(
    id: Int64, account: Account, created: Timestamp, used: Timestamp, address: String, browser: String,
    provider: String? = nil, isConfirmed: Bool = false
  ) {
    self.id = id
    self.isConfirmed = isConfirmed
    self.account = account
    self.created = created
    self.used = used
    self.address = address
    self.browser = browser
    self.provider = provider
  }
}
