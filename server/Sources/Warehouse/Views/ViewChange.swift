/// A change to a view. Properties that are `nil` keep their current values.
package struct ViewChange: Sendable, Hashable {
  /// The new name, applied to all reports immediately.
  package var name: String?
  /// The rule for late hits.
  package var lateness: View.Lateness?
  /// The new filters, which replace all existing ones.
  package var filters: [ViewFilter]?
  /// The session time-out.
  package var sessionTimeout: Duration?
  /// The campaign time-out, in days.
  package var campaignDays: Int?
  /// True to leave out hits beyond the 500th of their session.
  package var hasQuotas: Bool?
  /// The currency label for amounts; empty for none.
  package var currency: String?
  /// True to credit a session's hits before the first `uid` to that user, in views that count `uid`s.
  package var hasUnification: Bool?

  /// Creates a change that changes nothing.
  package init() {}

  /// True if there is nothing to change.
  package var isEmpty: Bool { self == ViewChange() }

  /// Returns the rules with this change applied.
  package func applied(to rules: View.Rules) -> View.Rules {
    var rules = rules
    rules.lateness = lateness ?? rules.lateness
    rules.filters = filters ?? rules.filters
    rules.settings.sessionTimeout = sessionTimeout ?? rules.settings.sessionTimeout
    rules.settings.campaignDays = campaignDays ?? rules.settings.campaignDays
    rules.settings.hasQuotas = hasQuotas ?? rules.settings.hasQuotas
    rules.settings.currency = currency ?? rules.settings.currency
    if let hasUnification { rules.settings.identity = hasUnification ? .user : .explicitUser }
    return rules
  }
}
