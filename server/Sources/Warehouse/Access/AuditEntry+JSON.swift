package import JSON

extension AuditEntry {
  package static let members: [JSONMember<AuditEntry>] = [
    .shown("id", .count) { .integer($0.id) },
    .shown("time", .time.described("The first time.")) { .text($0.time.utcText(withMilliseconds: true)) },
    .shown("count", .count.described("How often it happened: logins, exports and the like are counted for an hour.")) {
      .integer($0.count)
    },
    .shown("last", .time.described("The last time.")) { .text($0.last.utcText(withMilliseconds: true)) },
    .shown("who", .text) { .text($0.actor.name) },
    .shown("action", .text) { .text($0.action) },
    .shown("object", .text) { .text($0.subject) },
    .shown("address", .text) { .text($0.actor.address) },
  ]
}

extension FailedLogins {
  package static let members: [JSONMember<FailedLogins>] = [
    .shown("name", .text) { .text($0.name) },
    .shown("address", .text) { .text($0.address) },
    .shown("count", .count) { .integer($0.count) },
    .shown("first", .time) { .time($0.first) },
    .shown("last", .time) { .time($0.last) },
  ]
}
