/// How a view cuts sessions, attributes them and tells users apart, on the days for which they hold.
public struct ViewSettings: Sendable, Hashable {
  /// Who is a user.
  public enum Identity: String, Sendable, CaseIterable {
    /// A client: `cid`, or `uid` without one.
    case client
    /// A `uid`; the hits of a session before the first one that names it belong to it too.
    case user
    /// A `uid`, and only hits that name it themselves.
    case explicitUser
  }

  /// The shortest and the longest session time-out.
  public static let sessionTimeouts: ClosedRange<Duration> = .seconds(60)...(.seconds(4 * 3_600))
  /// The shortest and the longest that a campaign may last, in days.
  public static let campaignDays: ClosedRange<Int> = 1...731
  /// The hits of a session that are processed where quotas are on.
  public static let sessionHits = 500

  /// The longest silence within a session; exactly as much is still the same session. Whole minutes; the default
  /// is 30.
  public var sessionTimeout: Duration
  /// How many days of 24 hours after it was last named a campaign still has the sessions that name none. The default
  /// is 183, half a year.
  public var campaignDays: Int
  /// Whether hits beyond the 500th of their session are left out. Off by default: then they count and are told.
  public var hasQuotas: Bool
  /// What amounts of money are in, for example `EUR`: a label, nothing is converted. Empty by default.
  public var currency: String
  /// Who is a user. The default is a client.
  public var identity: Identity

  /// Creates settings, by default those of a view of which nothing was said.
  public init(
    sessionTimeout: Duration = .seconds(1_800), campaignDays: Int = 183, hasQuotas: Bool = false,
    currency: String = "", identity: Identity = .client
  ) {
    self.sessionTimeout = sessionTimeout
    self.campaignDays = campaignDays
    self.hasQuotas = hasQuotas
    self.currency = currency
    self.identity = identity
  }

  /// What people read about the settings, for example `sessions 30 min, campaigns 183 days, users by uid`.
  public var summary: String {
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

  /// The time-out in milliseconds.
  package var maximumGap: Int64 { sessionTimeout.components.seconds * 1_000 }

  /// Whether a campaign that was named at `named` still counts at `time`; exactly its length later it does.
  package func campaignLasts(from named: Int64, at time: Int64) -> Bool {
    time - named <= Int64(campaignDays) * 86_400_000
  }

  /// What is wrong with the settings; `nil` when nothing is.
  package var fault: String? {
    if !Self.sessionTimeouts.contains(sessionTimeout) || sessionTimeout.components.attoseconds != 0
      || sessionTimeout.components.seconds % 60 != 0
    {
      return "A session time-out is from 1 minute to 4 hours, in whole minutes."
    }
    if !Self.campaignDays.contains(campaignDays) {
      return "A campaign lasts from 1 to 731 days; this is \(campaignDays)."
    }
    let isCode = currency.utf8.count == 3 && currency.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    return currency.isEmpty || isCode ? nil : "A currency is a code of three capital letters such as EUR."
  }
}
