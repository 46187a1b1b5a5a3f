/// What figures can be broken down by. The raw values are stored: never reuse one.
public enum Dimension: Int, Sendable, CaseIterable {
  /// Everything of an app; one key, the empty text. Counts events of kind `event`; users of any kind.
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
  /// Locales' languages.
  case language = 7
  /// Sessions that began; one key, the empty text.
  case session = 8
  /// Events and values refused or dropped, by reason, as clients and the collector report them.
  case loss = 9
  /// Property values of one event: key is `event`, `property`, `value`; only
  /// ``FigureSource/properties(app:event:days:limit:)`` reports them.
  case property = 10
  /// Handled errors, crashes and other kinds, by kind name.
  case kind = 11

  /// The key that stands for all keys that are not kept apart.
  public static let otherKey = "(other)"
}
