import TernEvents
package import Warehouse

/// Reads the rows of single persons.
package protocol TrailSource: Sendable {
  /// Returns the latest rows of a person before a cursor, newest first; `nil` if the app has no such person.
  func trail(
    of person: Person, app: AppID, before: PersonsCursor?, limit: Int
  ) async throws -> [TrailRow]?
  /// Returns the name of the install with a number within its app, as rows and errors have it; `nil` if there is none.
  func installName(number: Int, app: AppID) async throws -> String?
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
