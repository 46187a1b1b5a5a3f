package import TernEvents

/// The failed logins with one name from one address.
package struct FailedLogins: Sendable, Hashable {
  /// The name that was given; `token` and `link` for those.
  package var name: String
  /// The network address; of IPv6, its first half.
  package var address: String
  /// The time of the first failure.
  package var first: Timestamp
  /// The time of the last failure.
  package var last: Timestamp
  /// The number of failures.
  package var count: Int

  /// Creates counts.
  package init(name: String, address: String, first: Timestamp, last: Timestamp, count: Int) {
    self.name = name
    self.address = address
    self.first = first
    self.last = last
    self.count = count
  }
}
