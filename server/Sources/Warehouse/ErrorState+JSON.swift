package import JSON

/// The status of an error group as it is shown.
package struct ShownErrorStatus: Sendable {
  package let group: Int64
  package let triage: ErrorTriage

  package init(_ group: Int64, _ triage: ErrorTriage) { (self.group, self.triage) = (group, triage) }

  /// Its members, in the order of their names.
  package static let members: [JSONMember<ShownErrorStatus>] = [
    .shownIfAny("by", .text) { $0.triage.state.map { .text($0.author) } },
    .shownIfAny("changed", .time) { $0.triage.state.map { .text($0.changed.utcText(withMilliseconds: true)) } },
    .shown("group", .count) { .integer($0.group) },
    .shown("note", .text) { .text($0.triage.state?.note ?? "") },
    .shownIfAny("reopenedIn", .text.described("The earliest later version in which a closed error came back.")) {
      $0.triage.reopenedIn.map { .text($0) }
    },
    .shown("status", .choice(ErrorStatus.self)) { .text($0.triage.status.rawValue) },
    .shownIfAny("version", .text) { $0.triage.state.flatMap { $0.version.isEmpty ? nil : .text($0.version) } },
  ]
}

/// A status to set.
package struct NewErrorStatus: Sendable {
  package var status: ErrorStatus
  package var note: String
  /// The last version that may still have the error; empty for the app's latest one.
  package var version: String

  package init(_ status: ErrorStatus = .open, note: String = "", version: String = "") {
    (self.status, self.note, self.version) = (status, note, version)
  }

  package static let members: [JSONMember<NewErrorStatus>] = [
    .required("status", \.status, .choice),
    // The catalog limits its characters, which may be of many bytes.
    .optional("note", \.note, .text(atMost: .max).specified(.text(0...ErrorState.maximumNoteLength))),
    .optional("version", \.version, .text.specified(.text(0...250)))
      .described("The last version that may still have the error; by default the app's latest one."),
  ]
}
