package import ServerBase
package import TernEvents

/// A number that identifies a view within one server.
package struct ViewID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  package var rawValue: Int64
  /// Creates an ID.
  package init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The number in decimal.
  package var description: String { String(rawValue) }
  /// Orders IDs by number.
  package static func < (left: ViewID, right: ViewID) -> Bool { left.rawValue < right.rawValue }
}

/// A view of an app's hits, with a time zone, a lateness rule and filters (docs/views.md).
package struct View: Sendable, Hashable {
  /// The rule for hits that are too late to count.
  package enum Lateness: String, Sendable, CaseIterable {
    /// Hits received at 04:00 on the next day in the view's zone, or later, are late.
    case cutoff
    /// Hits received more than 25 days after they happened are late.
    case window
    /// No hits are late, and no day ever becomes final.
    case none
  }

  /// A time zone, and the time from which it applies.
  package struct Zone: Sendable, Hashable {
    /// The zone, by the zone data that its days are counted by.
    package var rules: ZoneRules
    /// The first moment to which it applies.
    package var start: Timestamp
    /// The IANA name.
    package var identifier: String { rules.identifier }
    /// Creates a zone that applies from `start` on.
    package init(_ rules: ZoneRules, start: Timestamp) {
      self.rules = rules
      self.start = start
    }
  }

  /// The rules of a view, and the first day to which they apply.
  package struct Rules: Sendable, Hashable {
    /// The first day to which the rules apply, or `nil` for the view's first rules.
    package var start: Day?
    /// The rule for late hits.
    package var lateness: Lateness
    /// The filters that a hit must pass, all of them.
    package var filters: [ViewFilter]
    /// The settings for sessions, campaigns and the identity of users.
    package var settings: ViewSettings

    /// Creates rules that apply from `start` on.
    package init(
      start: Day? = nil, lateness: Lateness = .cutoff, filters: [ViewFilter] = [],
      settings: ViewSettings = ViewSettings()
    ) {
      self.start = start
      self.lateness = lateness
      self.filters = filters
      self.settings = settings
    }

    /// Returns true if a hit with these parameters passes the filters.
    package func admits(_ parameters: [String: String]) -> Bool {
      filters.allSatisfy { $0.holds(parameters[$0.parameter]) }
    }
  }

  /// The number that identifies the view in commands and addresses.
  package var id: ViewID
  /// The app whose hits it shows.
  package var app: AppID
  /// The display name, 1 to 100 characters.
  package var name: String
  /// The zones in chronological order; the first has no beginning.
  package var zones: [Zone]
  /// The view's first rules.
  package var first: Rules
  /// The later rules, in the order of their first days.
  package var changes: [Rules]

  package init(id: ViewID, app: AppID, name: String, zones: [Zone], first: Rules = Rules(), changes: [Rules] = []) {
    self.id = id
    self.app = app
    self.name = name
    self.zones = zones
    self.first = first
    self.changes = changes
  }

  /// All rules, in the order of their first days.
  package var rules: [Rules] { [first] + changes }

  /// The latest rules, which may apply only from a day that has not begun yet.
  package var latest: Rules { changes.last ?? first }

  /// Returns the rules of a day.
  package func rules(on day: Day) -> Rules { changes.last { $0.start.map { $0 <= day } ?? true } ?? first }

  /// Returns the rules of some days, in order.
  package func rules(on days: ClosedRange<Day>) -> [Rules] {
    [rules(on: days.lowerBound)]
      + changes.filter { rule in rule.start.map { $0 > days.lowerBound && $0 <= days.upperBound } ?? false }
  }

  /// True if users are `uid`s. This is the same on all days.
  package var countsUserIDs: Bool { first.settings.identity != .client }

  /// The current time zone.
  package var zone: ZoneRules { zones.last?.rules ?? .utc }

  /// The name of the current time zone.
  package var timeZone: String { zone.identifier }
}

/// A condition on one parameter of a hit: `name=value` or `name!=value`.
package struct ViewFilter: Sendable, Hashable, CustomStringConvertible {
  /// The parameter's name on the wire, for example `av`.
  package var parameter: String
  /// The value for comparison; for a hit without the parameter, an empty string is compared.
  package var value: String
  /// True for `!=`.
  package var isNegated: Bool

  /// Parses `name=value` or `name!=value`, or returns `nil` for anything else.
  package init?(_ text: String) {
    guard let sign = text.firstIndex(of: "=") else { return nil }
    let name = text[..<sign]
    isNegated = name.hasSuffix("!")
    parameter = String(isNegated ? name.dropLast() : name)
    value = String(text[text.index(after: sign)...])
    guard !parameter.isEmpty, parameter.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
  }

  /// The filter as it is written.
  package var description: String { "\(parameter)\(isNegated ? "!=" : "=")\(value)" }

  /// Returns true if a hit with this value, or without the parameter, passes the filter.
  package func holds(_ found: String?) -> Bool {
    guard parameter == "t" else { return (found ?? "" == value) != isNegated }
    return (Self.hitType(found ?? "") == Self.hitType(value)) != isNegated
  }

  /// Normalizes a hit type as counting does: lowercase, and the current name instead of an old one.
  private static func hitType(_ value: String) -> String {
    let type = value.lowercased()
    return type == "appview" ? "screenview" : type
  }
}
