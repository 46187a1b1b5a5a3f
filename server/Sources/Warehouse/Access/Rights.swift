/// An action that accounts and tokens may be allowed.
package enum Permission: String, Sendable, CaseIterable {
  /// Sends events.
  case send
  /// Reads reports.
  case read
  /// Reads single events and errors, which may contain personal data.
  case readPersonalData
  /// Changes an app's settings and shares its pages.
  case edit
  /// Creates and deletes apps, and changes their limits and the server's alerts.
  case administer
  /// Manages accounts, sessions, tokens and the audit log. This right is enough to get every other one.
  case manageAccess
}

/// The actions that an account or a token is allowed, and the apps to which they apply.
package struct Rights: Sendable, Hashable {
  /// The allowed actions.
  package var permissions: Set<Permission>
  /// The apps; `nil` for all, including future ones.
  package var apps: Set<AppID>?

  package init(_ permissions: Set<Permission>, apps: Set<AppID>?) {
    self.permissions = permissions
    self.apps = apps
  }

  /// Returns true if an action on an app is allowed, or without an app, on the server.
  package func allows(_ permission: Permission, app: AppID? = nil) -> Bool {
    guard permissions.contains(permission) else { return false }
    guard let apps else { return true }
    // Administering concerns all apps, also where it is about one of them, such as its limits.
    guard permission != .administer, permission != .manageAccess else { return false }
    return app.map { apps.contains($0) } ?? true
  }
}
