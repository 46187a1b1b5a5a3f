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
  public init(id: Int64, app: AppID, name: String, filters: String, author: String, changed: Timestamp) {
    self.id = id
    self.app = app
    self.name = name
    self.filters = filters
    self.author = author
    self.changed = changed
  }
}

/// The store of saved segments. Every change is recorded in the audit log.
///
/// Filters are stored as they are: their form is checked by the module that decodes questions.
public protocol SegmentStore: Sendable {
  /// Returns an app's segments by name.
  func segments(app: AppID) throws -> [SavedSegment]
  /// Saves a segment.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the name is invalid or taken, or the app has too many segments.
  func createSegment(app: AppID, name: String, filters: String) throws -> SavedSegment
  /// Changes a segment; returns `nil` if the app has none with this number.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if the name is invalid or taken.
  func changeSegment(_ id: Int64, app: AppID, name: String, filters: String) throws -> SavedSegment?
  /// Removes a segment. Returns false if the app has none with this number.
  func removeSegment(_ id: Int64, app: AppID) throws -> Bool
}
