package import TernEvents

/// A saved segment: filters with a name.
package struct SavedSegment: Sendable, Hashable {
  /// The number, which questions name.
  package var id: Int64
  package var app: AppID
  /// The name, unique within the app.
  package var name: String
  /// The filters: a JSON array in the vocabulary of questions.
  package var filters: String
  /// The name of the account or token that made the last change.
  package var author: String
  /// The time of the last change.
  package var changed: Timestamp

  package init(
    id: Int64 = 0, app: AppID, name: String = "", filters: String = "[]", author: String = "",
    changed: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.filters = filters
    self.author = author
    self.changed = changed
  }
}
