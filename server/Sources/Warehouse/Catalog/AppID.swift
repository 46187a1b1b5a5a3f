/// The number of an app within one server.
public struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  public var rawValue: Int64
  /// Creates an ID.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The number in decimal.
  public var description: String { String(rawValue) }
  /// Orders IDs by number.
  public static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}
