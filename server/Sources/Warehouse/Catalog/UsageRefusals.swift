package import TernEvents

/// The refusals of one app because of one limit.
package struct UsageRefusals: Sendable, Hashable {
  package var kind: UsageLimits.Kind
  /// The limit as a sentence says it.
  package var limit: String
  /// The number of refused requests.
  package var count: Int
  package var first: Timestamp
  package var last: Timestamp

  package init(kind: UsageLimits.Kind, limit: String, count: Int, first: Timestamp, last: Timestamp) {
    (self.kind, self.limit, self.count, self.first, self.last) = (kind, limit, count, first, last)
  }

  /// A sentence for the app's pages.
  package var text: String {
    let (first, last) = (first.utcText(withMilliseconds: false), last.utcText(withMilliseconds: false))
    return """
      This app was over its limit of \(limit): \(count) requests were refused from \(first) to \(last). Their senders were \
      told to try again later. The page Settings shows the limits; owners change them there or with `tern apps limits`.
      """
  }
}
