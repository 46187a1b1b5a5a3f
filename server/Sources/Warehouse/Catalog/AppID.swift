/// A number that names an app within one server.
public struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  public var rawValue: Int64
  /// Creates an id.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The number in decimal.
  public var description: String { String(rawValue) }
  /// Whether the left one comes first.
  public static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}
