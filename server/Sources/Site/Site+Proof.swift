import HTTP
import Hummingbird
import ServerBase
import Warehouse

/// A proof that it is still the person of the session who sits in front of the browser.
extension Site {
  /// Checks the password and the code of the second factor, if there is one, in a form. Returns `nil` if they are right,
  /// else what is wrong. Failures count like failed logins.
  ///
  /// - Parameter withoutCode: True to check only the password.
  func refusal(
    of form: URLEncodedForm, _ account: Account, withoutCode: Bool = false, _ context: CollectorContext
  ) async throws -> String? {
    // Not the key of the password at a login: only someone with a session comes here.
    let key = "\(context.clientShare) session of \(account.id)"
    let (store, password, code) = (access.store, form["current"] ?? "", form["code"] ?? "")
    let message = try await access.attempt(key: key) { () -> String? in
      // As it is now: a form takes time to arrive, and a second factor may have been turned on since.
      let current = try await access.passwords.run(for: context.clientShare) {
        try store.account(name: account.name, password: password)
      }
      guard let current, current.id == account.id else { return "The current password is wrong." }
      guard current.hasSecondFactor, !withoutCode else { return nil }
      return try store.useCode(code, of: current.id).refusal
    }
    if message != nil { try access.countFailure(key: key, subject: account.name, context) }
    return message
  }
}
