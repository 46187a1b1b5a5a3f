/// The outcome of a form, shown above the page.
package struct FormResult: Sendable {
  /// The reason why the form failed, if it did.
  package var message: String?
  /// The outcome of the form, in a sentence.
  package var done: String?
  /// A secret that is shown once: a link or a token.
  package var secret: String?

  /// Creates an outcome.
  package init(message: String? = nil, done: String? = nil, secret: String? = nil) {
    self.message = message
    self.done = done
    self.secret = secret
  }

  /// Creates the outcome that the address of a page names, to which a form has led.
  ///
  /// - Parameter outcome: The value of `done`: a word, or the names of the fields that were saved, separated by commas.
  package init(outcome: String?) {
    guard let outcome else { return }
    let fields = outcome.split(separator: ",").compactMap { Self.fields[String($0)] }
    done = Self.outcomes[outcome] ?? (fields.isEmpty ? nil : "Saved: \(fields.joined(separator: ", ")).")
  }

  private static let outcomes = [
    "created": "Created.", "saved": "Saved.", "deleted": "Deleted.", "revoked": "Revoked. It no longer works.",
    "removed": "Removed. Their sessions have ended.", "ended": "The session has ended.",
    "requested": "It is sent in a few seconds.",
    "unchanged": "Nothing has changed.", "password": "The password has been changed. All other sessions have ended.",
    "factor-removed": "The second factor is off. Logins ask only for the password.",
    "app-deletion": "The app is being deleted. Large apps take a while.",
  ]
  private static let fields = [
    "name": "name", "timeZone": "time zone", "appSecret": "app secret", "trackingId": "tracking ID",
    "writeKeys": "write keys", "newNames": "new names per day", "keeping": "how long rows are kept",
  ]
}
