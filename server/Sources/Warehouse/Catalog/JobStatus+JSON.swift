package import JSON

extension JobStatus {
  package static let members: [JSONMember<JobStatus>] = [
    .shown("id", .count) { .integer($0.id) },
    .shown("kind", .text.example(.text(DataJob.Kind.deletePerson.rawValue))) { .text($0.kind) },
    .shown("app", .nullable(.count).described("Null for work on all apps.")) { .integer($0.app?.rawValue) },
    .shown("state", .choice(State.self)) { .text($0.state.rawValue) },
    .shown("text", .text.described("The progress, or the result.")) { .text($0.text) },
  ]
}
