package import TernEvents

/// The store of accounts, logins, tokens, shared links and the audit log.
///
/// Every change is recorded in the audit log, in the same transaction, under ``AuditActor/current``. Secrets are returned
/// once and stored as hashes.
package protocol AccessStore: Sendable {
  /// Returns all accounts, oldest first.
  func accounts() throws -> [Account]
  /// Creates an account without a password and returns it with a code for its first login.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the name is invalid or taken.
  func invite(
    name: String, role: Account.Role, apps: Set<AppID>?, seesPersonalData: Bool
  ) throws -> (account: Account, code: String)
  /// Changes an account's rights, from its next request on.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if no owner would be left.
  func changeAccount(_ id: Int64, _ change: AccountChange) throws -> Account
  /// Removes an account and its sessions. Throws ``WarehouseError`` with code `invalid` for the last owner.
  func removeAccount(_ id: Int64) throws
  /// Creates a code for one login of an account, which replaces its earlier code.
  func createLoginCode(of account: Int64?, lasting duration: Duration) throws -> String
  /// Returns the account of a valid code without using it up.
  func account(loginCode code: String) throws -> Account?
  /// Uses up a code and returns its account, or `nil` if the code is wrong, has expired or was used before.
  func redeemLoginCode(_ code: String) throws -> Account?
  /// Sets an account's password, and ends its sessions except one. Takes a fraction of a second.
  func setPassword(_ password: String, of account: Int64, keeping session: Int64?) throws
  /// Returns the account with a name and password, or `nil`. Takes a fraction of a second in any case.
  func account(name: String, password: String) throws -> Account?

  /// Returns a new key for an authenticator app, in Base32. It counts once it is given to ``turnOnSecondFactor(key:code:of:keeping:)``.
  func newSecondFactorKey() -> String
  /// Turns a second factor on if the code is right, and returns recovery codes; `nil` for a wrong code.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` for a key that is none, without a password, or if there is a second factor already.
  func turnOnSecondFactor(key: String, code: String, of account: Int64, keeping session: Int64?) throws -> [String]?
  /// Makes new recovery codes, in place of those that are left, and returns them.
  func newRecoveryCodes(of account: Int64) throws -> [String]
  /// Removes a second factor, so that the password suffices.
  ///
  /// - Parameter isReset: True if someone else does that for a person who has lost it, false if the person turns it off.
  func removeSecondFactor(of account: Int64, isReset: Bool) throws
  /// Uses up a code of an account's second factor, or a recovery code.
  func useCode(_ code: String, of account: Int64) throws -> CodeOutcome
  /// Remembers that a person has given the password or opened a login link, and returns the secret with which the code must come.
  func beginLoginStep(of account: Int64, lasting duration: Duration) throws -> String
  /// Returns the account of a login that waits for a code; `nil` if there is none, or not any more.
  func account(loginStep secret: String) throws -> Account?
  /// Uses up a code, and the login that waits for it if the code is right. Returns `nil` if no login waits any more.
  func finishLoginStep(_ secret: String, code: String) throws -> CodeOutcome?

  func recordFailedLogin(_ name: String) throws
  /// Returns the counts of failed logins, those with the latest failure first.
  func failedLogins(limit: Int) throws -> [FailedLogins]
  /// Deletes entries of the audit log before a time, which is recorded itself, and returns their number.
  @discardableResult
  func pruneAudit(before time: Timestamp) throws -> Int

  /// Returns the account with a name, in any case.
  func account(named name: String) throws -> Account?
  /// Returns the account of a person whom an identity provider names, with the rights that the provider gives.
  ///
  /// The first time, that is the account whose name is the person's mail address, or a new one if that is allowed.
  func signIn(_ identity: ProvidedIdentity, rights: ProvidedRights?, createsAccount: Bool) throws -> SignInOutcome
  /// Ends the sessions that a person whom an identity provider no longer lets in began with it.
  ///
  /// - Parameter provider: The id of the provider.
  func endLoginSessions(of identity: ProvidedIdentity, provider: String) throws
  /// Records a visit of a person whom a proxy has logged in, as one login a day.
  func recordVisit(of account: Account, address: String) throws
  /// Starts a session of an account and returns its secret, for a cookie.
  ///
  /// - Parameter provider: The id of the provider with which the person signed in, if any.
  func createLoginSession(
    of account: Int64, lasting duration: Duration, address: String, browser: String, provider: String?
  ) throws -> String
  /// Returns the session with a secret, or `nil` if it has ended or expired.
  func loginSession(_ secret: String) throws -> LoginSession?
  /// Returns all sessions, latest first.
  func loginSessions() throws -> [LoginSession]
  /// Remembers that the person of a session has just given the password.
  func confirmLoginSession(_ id: Int64) throws
  func endLoginSession(_ id: Int64) throws
  /// Ends all sessions of an account, and returns their number.
  @discardableResult
  func endLoginSessions(of account: Int64) throws -> Int

  /// Returns all tokens, oldest first.
  func tokens() throws -> [AccessToken]
  /// Creates a token and returns it with its secret.
  func createToken(
    name: String, scopes: Set<AccessToken.Scope>, app: AppID?, lasting duration: Duration?
  ) throws -> (token: AccessToken, secret: String)
  /// Revokes a token. Returns false if there is none.
  func revokeToken(_ id: Int64) throws -> Bool
  /// Returns the token with a secret, or `nil` if it has ended or was revoked.
  func token(_ secret: String) throws -> AccessToken?

  /// Returns the shared links of an app, or of all apps, oldest first.
  func links(app: AppID?) throws -> [SharedLink]
  /// Creates a shared link and returns it with its secret.
  ///
  /// - Parameter name: The page in words, for the audit log.
  func createLink(
    app: AppID, report: String, query: String, name: String, sites: [String], lasting duration: Duration?
  ) throws -> (link: SharedLink, secret: String)
  /// Revokes a shared link of an app. Returns false if there is none.
  ///
  /// - Parameter name: The page in words, for the audit log.
  func revokeLink(_ id: Int64, app: AppID?, name: String) throws -> Bool
  /// Returns the shared link with a secret, or `nil` if it has ended or was revoked.
  func link(_ secret: String) throws -> SharedLink?

  /// Adds the job of deleting an app with everything, which the server does soon.
  @discardableResult
  func requestDeletion(of app: App) throws -> DataJob

  /// True if a segment, a dashboard or a shared link of an app has a filter with a person's name.
  func names(_ person: Person, app: AppID) throws -> Bool

  /// Adds the job of deleting a person, and records it in the audit log, without their name.
  @discardableResult
  func requestDeletion(_ request: PersonDeletionRequest, app: AppID) throws -> DataJob

  /// Returns the latest jobs before a number, of one app or all, latest first.
  func jobs(app: AppID?, before id: Int64?, limit: Int) throws -> [JobStatus]
  /// Returns the job with a number; `nil` if there is none.
  func job(_ id: Int64) throws -> JobStatus?

  /// Records an action that changes nothing in the catalog in the audit log.
  func record(_ action: AuditEntry.Action, _ subject: String) throws
  /// Returns the latest entries of the audit log before a number, latest first.
  func audit(before id: Int64?, limit: Int) throws -> [AuditEntry]
}
