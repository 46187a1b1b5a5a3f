/// The state of a change of an app's time zone whose days aren't all counted again.
package enum ZoneChange: Sendable, Hashable {
  /// The days are being counted again; the text is the progress, or the reason to wait.
  case running(String?)
  /// Counting has failed for a reason.
  case failed(String)

  /// The state in words.
  package var text: String {
    switch self {
    case .running(let progress):
      "The time zone has changed, and all days are being counted again\(progress.map { ": \($0)" } ?? ".") "
        + "Until that is done, figures of some days are those of the old time zone."
    case .failed(let reason):
      "Counting the days again in the new time zone has failed: \(reason) Change the time zone again to repeat it."
    }
  }
}
