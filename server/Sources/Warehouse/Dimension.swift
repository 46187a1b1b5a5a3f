/// A dimension by which events are counted. The raw values are stored: never reuse one.
package enum Dimension: Int, Sendable, CaseIterable {
  /// All events of an app under one key, the empty string. Counts events of kind `event`, and users of any kind.
  case total = 0
  /// Event names.
  case event = 1
  /// Screen names.
  case screen = 2
  /// App versions, `version (build)`.
  case version = 3
  /// Operating systems, `name version`.
  case os = 4
  /// Device models.
  case model = 5
  /// ISO country codes.
  case country = 6
  /// Languages, from the locale.
  case language = 7
  /// Sessions that began, under one key, the empty string.
  case session = 8
  /// Events and values that were rejected or dropped, by reason, as reported by clients and the collector.
  case dropped = 9
  /// Property values of one event. The key is `event`, `property`, `value`; reported only by
  /// ``MetricsStore/properties(app:event:days:limit:)``.
  case property = 10
  /// Handled errors, crashes and other kinds, by kind name.
  case kind = 11

  /// The prefix of the keys of ``dropped`` for events that the server rejected; other keys are the clients' reasons.
  package static let rejectedPrefix = "rejected:"
  /// The key of ``dropped`` for events with a name counted as "(other)"; apart from that name, they are stored and
  /// counted.
  package static let nameLimitKey = "name_limit"

  /// The key that collects everything beyond a dimension's limit.
  package static let otherKey = "(other)"
}

extension Dimension {
  /// Returns true if a key comes before another one of the same count: versions in the order of releases, other keys by
  /// their text.
  package func isOrdered(_ left: String, before right: String) -> Bool {
    self == .version ? AppVersion.isOrdered(left, before: right) : left < right
  }
}
