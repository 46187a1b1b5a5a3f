import Ingest
package import TernEvents

extension ErrorDetail {
  /// A part of what led to an error.
  package enum TrailEntry: Sendable, Hashable {
    case event(StoredEvent)
    case step(String, time: Timestamp)
  }

  /// The records of the session and the app's steps before the error, oldest first.
  package var trail: [TrailEntry] {
    var entries: [TrailEntry] = []
    var events = before[...]
    for step in trace.steps {
      let time = occurrence.time - .milliseconds(step.age)
      while let event = events.first, event.time <= time { entries.append(.event(events.removeFirst())) }
      entries.append(.step(step.text, time: time))
    }
    return entries + events.map(TrailEntry.event)
  }
}
