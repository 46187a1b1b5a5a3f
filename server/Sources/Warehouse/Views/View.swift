public import TernEvents

/// A number that names a view within one server.
public struct ViewID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  public var rawValue: Int64
  /// Creates an id.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The number in decimal.
  public var description: String { String(rawValue) }
  /// Whether the left one comes first.
  public static func < (left: ViewID, right: ViewID) -> Bool { left.rawValue < right.rawValue }
}

/// One way of looking at an app's hits: in which time zone, how late, and which of them (docs/views.md).
public struct View: Sendable, Hashable {
  /// Which hits come too late to count.
  public enum Lateness: String, Sendable, CaseIterable {
    /// Those received at 04:00 of the next day in the view's zone, or later.
    case cutoff
    /// Those received more than 25 days after they happened.
    case window
    /// None; no day is ever final.
    case none
  }

  /// A time zone, and from when on it counts.
  public struct Zone: Sendable, Hashable {
    /// The IANA name.
    public var identifier: String
    /// The first moment that is dated by it.
    public var start: Timestamp
    /// Creates a zone that counts from `start` on.
    public init(identifier: String, start: Timestamp) {
      self.identifier = identifier
      self.start = start
    }
  }

  /// What a view counts and how, and from which of its days on.
  public struct Rules: Sendable, Hashable {
    /// The first day that is counted so; `nil` for those from the beginning.
    public var start: Day?
    /// Which hits come too late.
    public var lateness: Lateness
    /// What a hit must have to be in the view; all must hold.
    public var filters: [ViewFilter]
    /// How sessions are cut and attributed, and who is a user.
    public var settings: ViewSettings

    /// Creates rules that hold from `start` on.
    public init(
      start: Day? = nil, lateness: Lateness = .cutoff, filters: [ViewFilter] = [],
      settings: ViewSettings = ViewSettings()
    ) {
      self.start = start
      self.lateness = lateness
      self.filters = filters
      self.settings = settings
    }

    /// Whether a hit with these parameters is in the view.
    package func admits(_ parameters: [String: String]) -> Bool {
      filters.allSatisfy { $0.holds(parameters[$0.parameter]) }
    }
  }

  /// The number by which commands and addresses name the view.
  public var id: ViewID
  /// The app whose hits it shows.
  public var app: AppID
  /// The name that people read, 1 to 100 characters.
  public var name: String
  /// The zones in the order in which they began to count; the first counts from the beginning of time.
  public var zones: [Zone]
  /// The rules from the beginning.
  public var first: Rules
  /// The rules that took their place, in the order of the days from which on they hold.
  public var changes: [Rules]

  /// Creates a description of a view.
  public init(id: ViewID, app: AppID, name: String, zones: [Zone], first: Rules = Rules(), changes: [Rules] = []) {
    self.id = id
    self.app = app
    self.name = name
    self.zones = zones
    self.first = first
    self.changes = changes
  }

  /// All rules, in the order of the days from which on they hold.
  public var rules: [Rules] { [first] + changes }

  /// The rules that were made last, which may hold from a day on that has not begun.
  public var latest: Rules { changes.last ?? first }

  /// The rules of a day.
  public func rules(on day: Day) -> Rules { changes.last { $0.start.map { $0 <= day } ?? true } ?? first }

  /// The rules of some days, in order.
  public func rules(on days: ClosedRange<Day>) -> [Rules] {
    [rules(on: days.lowerBound)]
      + changes.filter { rule in rule.start.map { $0 > days.lowerBound && $0 <= days.upperBound } ?? false }
  }

  /// Who is a user, which is the same on all days but for unification.
  public var countsMembers: Bool { first.settings.identity != .client }

  /// The zone that counts now.
  public var timeZone: String { zones.last?.identifier ?? "UTC" }
}

/// A condition on one parameter of a hit: `name=value` or `name!=value`.
public struct ViewFilter: Sendable, Hashable, CustomStringConvertible {
  /// The parameter's name on the wire, for example `av`.
  public var parameter: String
  /// The value it is compared with; a hit without the parameter has the empty text.
  public var value: String
  /// Whether the value must be another.
  public var isNegated: Bool

  /// Reads `name=value` or `name!=value`; `nil` for anything else.
  public init?(_ text: String) {
    guard let sign = text.firstIndex(of: "=") else { return nil }
    let name = text[..<sign]
    isNegated = name.hasSuffix("!")
    parameter = String(isNegated ? name.dropLast() : name)
    value = String(text[text.index(after: sign)...])
    guard !parameter.isEmpty, parameter.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
  }

  /// The condition as it is written.
  public var description: String { "\(parameter)\(isNegated ? "!=" : "=")\(value)" }

  /// Whether a hit with this value, or none, is in the view.
  package func holds(_ found: String?) -> Bool {
    guard parameter == "t" else { return (found ?? "" == value) != isNegated }
    return (Self.hitType(found ?? "") == Self.hitType(value)) != isNegated
  }

  /// As hits are counted: in whatever case, and by the name that replaced the old one.
  private static func hitType(_ value: String) -> String {
    let type = value.lowercased()
    return type == "appview" ? "screenview" : type
  }
}
