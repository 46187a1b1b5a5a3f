package import TernBase

/// A view's settings for sessions, attribution and the identity of users.
package struct ViewSettings: Sendable, Hashable {
  /// The identity of users.
  package enum Identity: String, Sendable, CaseIterable {
    /// A client: its `cid`, or its `uid` if it has none.
    case client
    /// A `uid`. Earlier hits of the session in which it first appears belong to it too.
    case user
    /// A `uid`. Only hits that name it belong to it.
    case explicitUser
  }

  /// The range of session time-outs.
  package static let sessionTimeouts: ClosedRange<Duration> = .seconds(60)...(.seconds(4 * 3_600))
  /// The description of an invalid session time-out.
  package static let sessionTimeoutFault = "Choose a session time-out from 1 to 240 whole minutes."
  /// The range of campaign time-outs, in days.
  package static let campaignDays: ClosedRange<Int> = 1...731
  /// The number of hits per session that are processed if quotas are on.
  package static let sessionHits = 500

  /// The longest silence within a session, inclusive, in whole minutes. Default: 30 minutes.
  package var sessionTimeout: Duration
  /// The time, in days of 24 hours, for which a campaign applies to sessions that name none. Default: 183, half a year.
  package var campaignDays: Int
  /// True to leave out hits beyond the 500th of their session. Default: false; they are counted, and reported
  /// separately.
  package var hasQuotas: Bool
  /// The currency of amounts, for example `EUR`: a label, nothing is converted. Empty by default.
  package var currency: String
  /// The identity of users. Default: `client`.
  package var identity: Identity

  package init(
    sessionTimeout: Duration = .seconds(1_800), campaignDays: Int = 183, hasQuotas: Bool = false,
    currency: String = "", identity: Identity = .client
  ) {
    self.sessionTimeout = sessionTimeout
    self.campaignDays = campaignDays
    self.hasQuotas = hasQuotas
    self.currency = currency
    self.identity = identity
  }

  /// A summary for display, for example `sessions 30 min, campaigns 183 days, users by uid`.
  package var summary: String {
    let quotas = hasQuotas ? ["\(Self.sessionHits) hits a session"] : []
    let users: [String] =
      switch identity {
      case .client: []
      case .user: ["users by uid"]
      case .explicitUser: ["users by uid without unification"]
      }
    let basics = ["sessions \(sessionTimeout.components.seconds / 60) min", "campaigns \(campaignDays) days"]
    return (basics + quotas + users + (currency.isEmpty ? [] : [currency])).joined(separator: ", ")
  }

  /// The session time-out in milliseconds.
  package var maximumGap: SaturatingInt64 { SaturatingInt64(sessionTimeout.components.seconds) * 1_000 }

  /// Returns true if a campaign named at `named` still applies at `time`, up to and including its full duration.
  package func campaignLasts(from named: EventTime, at time: EventTime) -> Bool {
    time - named <= SaturatingInt64(campaignDays) * 86_400_000
  }

  /// A description of the problem if the settings are invalid, or `nil`.
  package var fault: String? {
    if !Self.sessionTimeouts.contains(sessionTimeout) || sessionTimeout.components.attoseconds != 0
      || sessionTimeout.components.seconds % 60 != 0
    {
      return Self.sessionTimeoutFault
    }
    if !Self.campaignDays.contains(campaignDays) {
      return "Choose a campaign time-out from 1 to 731 days, not \(campaignDays)."
    }
    let isCode = currency.utf8.count == 3 && currency.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    return currency.isEmpty || isCode ? nil : "Use a currency code of three capital letters, such as EUR."
  }
}
