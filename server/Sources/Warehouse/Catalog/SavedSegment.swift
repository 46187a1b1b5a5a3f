public import TernEvents

/// A saved segment: filters with a name.
public struct SavedSegment: Sendable, Hashable {
  /// The number, which questions name.
  public var id: Int64
  /// The app.
  public var app: AppID
  /// The name, unique within the app.
  public var name: String
  /// The filters: a JSON array in the vocabulary of questions.
  public var filters: String
  /// The name of the account or token that made the last change.
  public var author: String
  /// The time of the last change.
  public var changed: Timestamp

  /// Creates a segment.
  public init(
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
