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
    let key = "\(context.clientShare) \(account.name.lowercased())"
    let (store, password, code) = (access.store, form["current"] ?? "", form["code"] ?? "")
    let message = try await access.attempt(key: key) { () -> String? in
      let isRight = try await access.passwords.run(for: context.clientShare) {
        try store.account(name: account.name, password: password)?.id == account.id
      }
      guard isRight else { return "The current password is wrong." }
      guard account.hasSecondFactor, !withoutCode else { return nil }
      switch try store.useCode(code, of: account.id) {
      case .right: return nil
      case .wrong: return CodeOutcome.wrongText
      case .closed: return CodeOutcome.closedText
      }
    }
    if message != nil { try access.countFailure(key: key, subject: account.name, context) }
    return message
  }
}
