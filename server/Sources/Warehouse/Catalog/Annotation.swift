package import TernEvents

/// A note about a day, shown on all charts.
package struct Annotation: Sendable, Hashable {
  /// The number.
  package var id: Int64
  package var app: AppID
  /// The day in the app's time zone.
  package var day: Day
  package var text: String
  /// The name of the account or token that created it.
  package var author: String
  /// The time of its creation.
  package var created: Timestamp

  package init(
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
