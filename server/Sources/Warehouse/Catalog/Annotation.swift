public import TernEvents

/// A note about a day, shown on all charts.
public struct Annotation: Sendable, Hashable {
  /// The number.
  public var id: Int64
  /// The app.
  public var app: AppID
  /// The day in the app's time zone.
  public var day: Day
  /// The text.
  public var text: String
  /// The name of the account or token that created it.
  public var author: String
  /// The time of its creation.
  public var created: Timestamp

  /// Creates an annotation.
  public init(
    id: Int64 = 0, app: AppID, day: Day = Day(number: 0), text: String = "", author: String = "",
    created: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    self.id = id
    self.app = app
    self.day = day
    self.text = text
    self.author = author
    self.created = created
  }
}
