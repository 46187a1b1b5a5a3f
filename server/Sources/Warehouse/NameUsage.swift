/// The number of names of one kind that an app uses, and its limits.
package struct NameUsage: Sendable, Hashable, Encodable {
  /// The kind of names, for example `event`.
  package var kind: String
  /// The number of distinct names seen.
  package var known: Int
  /// The number of names allowed without a daily limit.
  package var limit: Int
  /// The number of new names allowed per day beyond that.
  package var perDay: Int

  package init(kind: String, known: Int, limit: Int, perDay: Int) {
    self.kind = kind
    self.known = known
    self.limit = limit
    self.perDay = perDay
  }
}
