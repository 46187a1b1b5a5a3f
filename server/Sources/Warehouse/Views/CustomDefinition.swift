package import TernEvents

/// The definition of an app's custom dimension or metric.
///
/// The name and type apply to all reports immediately. Scope and activity apply to hits from the moment of the change,
/// so that final days don't change.
package struct CustomDefinition: Sendable, Hashable {
  /// A dimension or a metric.
  package enum Kind: String, Sendable, CaseIterable {
    /// `cd1` to `cd200`.
    case dimension
    /// `cm1` to `cm200`.
    case metric

    /// The prefix of the parameter's name on the wire.
    package var prefix: String { self == .dimension ? "cd" : "cm" }
  }

  /// The scope of a dimension's values.
  package enum Scope: String, Sendable, CaseIterable {
    /// The hit with the value.
    case hit
    /// All hits of the session, including earlier ones; the last value wins.
    case session
    /// All later hits of the user, in this and later sessions, until a new value arrives.
    case user
  }

  /// The display format of a metric's values.
  package enum MetricType: String, Sendable, CaseIterable {
    /// A number.
    case integer
    /// An amount of money, in the view's currency.
    case currency
    /// Seconds.
    case time
  }

  /// The scope and activity from a moment on.
  package struct Rule: Sendable, Hashable {
    /// The time of the first hit that the rule applies to.
    package var start: Timestamp
    /// The scope of values.
    package var scope: Scope
    /// True if values are processed.
    package var isActive: Bool
    /// Creates a rule that applies from `start` on.
    package init(start: Timestamp, scope: Scope = .hit, isActive: Bool = true) {
      self.start = start
      self.scope = scope
      self.isActive = isActive
    }
  }

  /// The valid numbers of dimensions and metrics.
  package static let indexes: ClosedRange<Int> = 1...200

  package var app: AppID
  /// Dimension or metric.
  package var kind: Kind
  /// The number, from 1 to 200.
  package var index: Int
  /// The display name.
  package var name: String
  /// The display format of a metric's values; `integer` for dimensions.
  package var type: MetricType
  /// The rules, oldest first. Before the first, values are active with hit scope.
  package var rules: [Rule]

  package init(app: AppID, kind: Kind, index: Int, name: String, type: MetricType = .integer, rules: [Rule]) {
    self.app = app
    self.kind = kind
    self.index = index
    self.name = name
    self.type = type
    self.rules = rules
  }

  /// The parameter's name on the wire, for example `cd3`.
  package var parameter: String { "\(kind.prefix)\(index)" }
  /// The current scope of values.
  package var scope: Scope { rules.last?.scope ?? .hit }
  /// True if values are currently processed.
  package var isActive: Bool { rules.last?.isActive ?? true }
}
