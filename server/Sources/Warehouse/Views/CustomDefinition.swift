public import TernEvents

/// What an app's custom dimension or metric means, as the operator defined it.
///
/// The name and the type count for all reports at once. Scope and activity count for hits that happen from the moment
/// of the change on: what is final stays.
public struct CustomDefinition: Sendable, Hashable {
  /// A dimension or a metric.
  public enum Kind: String, Sendable, CaseIterable {
    /// `cd1` to `cd200`.
    case dimension
    /// `cm1` to `cm200`.
    case metric

    /// What the parameter's name on the wire begins with.
    package var prefix: String { self == .dimension ? "cd" : "cm" }
  }

  /// What a value of a dimension holds for.
  public enum Scope: String, Sendable, CaseIterable {
    /// The hit that brings it.
    case hit
    /// All hits of the session, also earlier ones; the last value wins.
    case session
    /// All hits of this session and of later ones of the user, until another value comes.
    case user
  }

  /// How the values of a metric are shown.
  public enum MetricType: String, Sendable, CaseIterable {
    /// A number.
    case integer
    /// An amount of money, in the view's currency.
    case currency
    /// Seconds.
    case time
  }

  /// Scope and activity, and from when on they count.
  public struct Rule: Sendable, Hashable {
    /// The first moment of hits that are read by it.
    public var start: Timestamp
    /// What a value holds for.
    public var scope: Scope
    /// Whether values are processed.
    public var isActive: Bool
    /// Creates a rule that counts from `start` on.
    public init(start: Timestamp, scope: Scope = .hit, isActive: Bool = true) {
      self.start = start
      self.scope = scope
      self.isActive = isActive
    }
  }

  /// The numbers that dimensions and metrics may have.
  public static let indexes: ClosedRange<Int> = 1...200

  /// The app.
  public var app: AppID
  /// Dimension or metric.
  public var kind: Kind
  /// The number, from 1 to 200.
  public var index: Int
  /// The name that people read.
  public var name: String
  /// How values of a metric are shown; `integer` for dimensions.
  public var type: MetricType
  /// The rules in the order in which they began to count; before the first, values are active and of hit scope.
  public var rules: [Rule]

  /// Creates a definition.
  public init(app: AppID, kind: Kind, index: Int, name: String, type: MetricType = .integer, rules: [Rule]) {
    self.app = app
    self.kind = kind
    self.index = index
    self.name = name
    self.type = type
    self.rules = rules
  }

  /// The parameter's name on the wire, for example `cd3`.
  public var parameter: String { "\(kind.prefix)\(index)" }
  /// What a value holds for now.
  public var scope: Scope { rules.last?.scope ?? .hit }
  /// Whether values are processed now.
  public var isActive: Bool { rules.last?.isActive ?? true }
}
