public import Ingest
public import TernEvents

/// Errors that are the same fault: of one kind and type, with the same frames at the top.
public struct ErrorGroup: Sendable, Hashable {
  /// Its number.
  public var id: Int64
  /// Whether it was handled or a crash.
  public var kind: StoredKind
  /// The exception's type, for a crash without one the signal.
  public var type: String
  /// The frame at the top of the stack; empty when there is no stack.
  public var place: String
  /// What the first one said.
  public var message: String
  /// How many occurred in the range.
  public var count: Int
  /// On how many distinct installs.
  public var users: Int
  /// How many occurred in each app version, `version (build)`, most first.
  public var versions: [KeyFigures]
  /// How many occurred on each day of the range that has any, in order.
  public var days: [DailyFigures]
  /// When the latest of the range occurred.
  public var last: Timestamp
  /// Creates a description of a group.
  public init(
    id: Int64, kind: StoredKind, type: String, place: String, message: String, count: Int, users: Int,
    versions: [KeyFigures], days: [DailyFigures], last: Timestamp
  ) {
    self.id = id
    self.kind = kind
    self.type = type
    self.place = place
    self.message = message
    self.count = count
    self.users = users
    self.versions = versions
    self.days = days
    self.last = last
  }
}

/// One handled error or crash.
public struct ErrorOccurrence: Sendable, Hashable {
  /// Its number, that of its event.
  public var id: Int64
  /// The group it belongs to.
  public var group: Int64
  /// The id that the client gave it; empty when none.
  public var name: String
  /// When it occurred, as far as the protocol tells.
  public var time: Timestamp
  /// When it was received, by the server's clock.
  public var received: Timestamp
  /// A number that stands for the install within the app.
  public var install: Int
  /// The user named by the app; empty when none.
  public var user: String
  /// The facts about device and app.
  public var device: IncomingDevice
  /// Creates a description of an error.
  public init(
    id: Int64, group: Int64, name: String, time: Timestamp, received: Timestamp, install: Int, user: String,
    device: IncomingDevice
  ) {
    self.id = id
    self.group = group
    self.name = name
    self.time = time
    self.received = received
    self.install = install
    self.user = user
    self.device = device
  }
}

/// Everything that is known of one handled error or crash.
public struct ErrorDetail: Sendable, Hashable {
  /// When, where and whose it was.
  public var occurrence: ErrorOccurrence
  /// Whether it was handled or a crash.
  public var kind: StoredKind
  /// The type of its group.
  public var type: String
  /// What it said.
  public var message: String
  /// Its stack.
  public var stack: String
  /// The error as it was sent, at most 256 KiB of it.
  public var raw: String
  /// The developer's properties.
  public var properties: [Properties.Element]
  /// What the session recorded before it, oldest first; the last 100.
  public var before: [StoredEvent]
  /// Its attachments that have arrived completely.
  public var attachments: [AttachmentFacts]
  /// Creates a description of an error.
  public init(
    occurrence: ErrorOccurrence, kind: StoredKind, type: String, message: String, stack: String, raw: String,
    properties: [Properties.Element], before: [StoredEvent], attachments: [AttachmentFacts]
  ) {
    self.occurrence = occurrence
    self.kind = kind
    self.type = type
    self.message = message
    self.stack = stack
    self.raw = raw
    self.properties = properties
    self.before = before
    self.attachments = attachments
  }
}

/// What is known of an attachment beside its bytes. All texts are the client's word.
public struct AttachmentFacts: Sendable, Hashable {
  /// Its number.
  public var id: Int64
  /// The file's name; empty when it has none.
  public var name: String
  /// The media type.
  public var contentType: String
  /// Its size in bytes.
  public var bytes: Int
  /// Creates a description of an attachment.
  public init(id: Int64, name: String, contentType: String, bytes: Int) {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }
}

/// The reading side of a warehouse about errors. Days are civil days in the app's time zone.
public protocol ErrorSource: Sendable {
  /// The groups of which any occurred in the range, most occurrences first.
  ///
  /// - Parameters:
  ///   - group: the only one wanted; `nil` for all.
  ///   - limit: the most groups of each kind.
  func errorGroups(app: AppID, group: Int64?, days: ClosedRange<Day>, limit: Int) async throws -> [ErrorGroup]
  /// Whether the app has a group of this number, whenever its errors occurred.
  func hasErrorGroup(app: AppID, id: Int64) async throws -> Bool
  /// The occurrences of a group in the range, newest first.
  func errors(app: AppID, group: Int64, days: ClosedRange<Day>, limit: Int) async throws -> [ErrorOccurrence]
  /// Everything known of one error; `nil` when the app has none of this number.
  func error(app: AppID, id: Int64) async throws -> ErrorDetail?
  /// An attachment with its bytes; `nil` when the app has none of this number, or not all of it has arrived.
  func attachment(app: AppID, id: Int64) async throws -> (facts: AttachmentFacts, data: [UInt8])?
}
