/// The number of an app within one server.
package struct AppID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  package var rawValue: Int64
  package init(_ rawValue: Int64) { self.rawValue = rawValue }
  /// The number in decimal.
  package var description: String { String(rawValue) }
  /// Orders IDs by number.
  package static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}
