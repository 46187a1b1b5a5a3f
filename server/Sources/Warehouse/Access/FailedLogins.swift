public import TernEvents

/// The failed logins with one name from one address.
public struct FailedLogins: Sendable, Hashable {
  /// The name that was given; `token` and `link` for those.
  public var name: String
  /// The network address; of IPv6, its first half.
  public var address: String
  /// The time of the first failure.
  public var first: Timestamp
  /// The time of the last failure.
  public var last: Timestamp
  /// The number of failures.
  public var count: Int

  /// Creates counts.
  public init(name: String, address: String, first: Timestamp, last: Timestamp, count: Int) {
    self.name = name
    self.address = address
    self.first = first
    self.last = last
    self.count = count
  }
}
