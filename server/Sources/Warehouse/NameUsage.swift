/// The number of names of one kind that an app uses, and its limits.
public struct NameUsage: Sendable, Hashable, Encodable {
  /// The kind of names, for example `event`.
  public var kind: String
  /// The number of distinct names seen.
  public var known: Int
  /// The number of names allowed without a daily limit.
  public var limit: Int
  /// The number of new names allowed per day beyond that.
  public var perDay: Int

  package init(kind: String, known: Int, limit: Int, perDay: Int) {
    self.kind = kind
    self.known = known
    self.limit = limit
    self.perDay = perDay
  }
}
