package import Ingest
package import TernEvents

/// A group of errors with the same fingerprint: the same kind, type, and top stack frames.
package struct ErrorGroup: Sendable, Hashable {
  /// The number that identifies it.
  package var id: Int64
  /// The kind of error, handled or a crash.
  package var kind: StoredKind
  /// The exception's type; for a crash without one, the signal.
  package var type: String
  /// The top stack frame; empty if there is no stack.
  package var place: String
  /// The message of the first error.
  package var message: String
  /// The number of errors in the range.
  package var count: Int
  /// The number of errors in the range that belong to no session.
  package var withoutSession = 0
  /// The number of distinct installs affected.
  package var users: Int
  /// The errors in each app version, `version (build)`, most first.
  package var versions: [KeyTotals]
  /// The errors by system, most first, in a read of a single group; otherwise empty.
  package var systems: [KeyTotals] = []
  /// The errors by model, as ``systems``.
  package var models: [KeyTotals] = []
  /// The errors by country, as ``systems``.
  package var countries: [KeyTotals] = []
  /// The errors on each day of the range, in order, in a read of a single group; otherwise empty. Days without errors are
  /// omitted.
  package var days: [DailyTotals]
  /// The time of the latest error in the range.
  package var last: Timestamp
  /// The status that people gave it, which warehouses don't know.
  package var triage = ErrorTriage()
  /// Creates a group.
  package init(
    id: Int64, kind: StoredKind, type: String, place: String, message: String, count: Int, users: Int,
    versions: [KeyTotals], days: [DailyTotals], last: Timestamp
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
package struct ErrorOccurrence: Sendable, Hashable {
  /// The number of its event.
  package var id: Int64
  /// The number of its group.
  package var group: Int64
  /// The ID set by the client; empty if none.
  package var name: String
  /// The time of the error, as far as the protocol reports it.
  package var time: Timestamp
  /// The time of receipt, by the server's clock.
  package var received: Timestamp
  /// A number that identifies the install within the app.
  package var install: Int
  /// The user ID set by the app; empty if none.
  package var user: String
  /// The properties of the device and app.
  package var device: IncomingDevice
  package init(
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

/// One handled error or crash in full.
package struct ErrorDetail: Sendable, Hashable {
  /// The time, device and user of the error.
  package var occurrence: ErrorOccurrence
  /// The kind of error, handled or a crash.
  package var kind: StoredKind
  /// The type of its group.
  package var type: String
  package var message: String
  /// The stack trace.
  package var stack: String
  /// The error as sent, truncated to 256 KiB.
  package var raw: String
  /// The threads, registers and images that the error as sent has.
  package var trace: ErrorStack
  /// The reason and remedy if there are symbols of the frames, but they can't be read.
  package var symbolProblem: String?
  /// False if message, stack and raw text were deleted to make room for those of newer errors.
  package var isTextKept: Bool
  /// The developer's properties.
  package var properties: [Properties.Element]
  /// The last 100 records of the session before the error, oldest first.
  package var before: [StoredEvent]
  /// Its attachments that have arrived completely.
  package var attachments: [AttachmentFacts]
  package init(
    occurrence: ErrorOccurrence, kind: StoredKind, type: String, message: String, stack: String, raw: String,
    isTextKept: Bool, properties: [Properties.Element], before: [StoredEvent], attachments: [AttachmentFacts]
  ) {
    self.occurrence = occurrence
    self.kind = kind
    self.type = type
    self.message = message
    self.stack = stack
    self.raw = raw
    trace = ErrorStack(raw: raw)
    self.isTextKept = isTextKept
    self.properties = properties
    self.before = before
    self.attachments = attachments
  }
}

/// The metadata of an attachment. All texts come from the client unchecked.
package struct AttachmentFacts: Sendable, Hashable {
  /// The number that identifies it.
  package var id: Int64
  /// The file name; empty if none.
  package var name: String
  /// The media type.
  package var contentType: String
  /// The size in bytes.
  package var bytes: Int
  /// Creates the metadata of an attachment.
  package init(id: Int64, name: String, contentType: String, bytes: Int) {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }
}
