/// How many names of one kind an app has brought, and how many it may.
public struct NameFigures: Sendable, Hashable, Encodable {
  /// What the names are of, for example `event`.
  public var kind: String
  /// How many different ones are known.
  public var known: Int
  /// How many it may bring without more ado.
  public var limit: Int
  /// How many new ones it may bring a day beyond that.
  public var perDay: Int

  package init(kind: String, known: Int, limit: Int, perDay: Int) {
    self.kind = kind
    self.known = known
    self.limit = limit
    self.perDay = perDay
  }
}
