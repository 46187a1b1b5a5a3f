import TernEvents
package import Warehouse

/// Reads the rows of single persons.
package protocol TrailSource: Sendable {
  /// Returns a page of the rows of a person, newest first; `nil` if the app has no such person.
  func trail(of person: Person, app: AppID, _ page: TrailPage, limit: Int) async throws -> [TrailRow]?
  /// Returns the totals, times and devices of a person; `nil` if the app has none.
  func summary(of person: Person, app: AppID) async throws -> PersonSummary?
  /// Returns the name of the install with a number within its app, as rows and errors have it; `nil` if there is none.
  func installName(number: Int, app: AppID) async throws -> String?
}

/// A page of the rows of a person.
package enum TrailPage: Equatable, Sendable {
  case latest
  /// The latest rows before a place.
  case before(PersonsCursor)
  /// The earliest rows after a place.
  case after(PersonsCursor)
}

/// The totals, times, devices and other identities of one person, from all rows.
package struct PersonSummary: Equatable, Sendable {
  /// The facts of a device, in the words of filters; empty ones are unknown.
  package struct Device: Hashable, Sendable {
    package var version = ""
    package var os = ""
    package var model = ""
    package var country = ""
    package var language = ""

    package init() {}
  }

  /// The times of the first and the last row, in milliseconds since 1970.
  package var first: Int64
  package var last: Int64
  package var events = 0
  package var sessions = 0
  package var errors = 0
  package var crashes = 0
  /// The devices, the one with the latest row first; at most ``maximumItems``.
  package var devices: [Device] = []
  /// The users of an install, or the installs of a user, the one with the latest row first; at most ``maximumItems``.
  package var others: [Person] = []
  /// The identifiers that aliases join with a user, without the user's own.
  package var identifiers: [String] = []

  package static let maximumItems = 20

  package init(first: Int64, last: Int64) { (self.first, self.last) = (first, last) }
}

/// One row of a person.
package struct TrailRow: Equatable, Sendable {
  package var event: StoredEvent
  /// The session; `nil` for hits, whose sessions the warehouse derives.
  package var session: Int64?
  /// True for the row that began its session.
  package var startsSession: Bool

  package init(_ event: StoredEvent, session: Int64? = nil, startsSession: Bool = false) {
    self.event = event
    self.session = session
    self.startsSession = startsSession
  }

  /// The place of the row: the rows before it follow on the next page.
  package var cursor: PersonsCursor { PersonsCursor(time: event.time.millisecondsSince1970, row: event.id) }
}
