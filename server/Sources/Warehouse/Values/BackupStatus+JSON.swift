package import JSON

extension BackupStatus {
  package static let members: [JSONMember<BackupStatus>] = [
    .shown("everySeconds", .count) { .integer($0.interval.components.seconds) },
    .shown("kept", .count) { .integer($0.kept) },
    .shown("backups", .list(.object(["name": .text, "created": .time, "events": .count]))) { status in
      .array(
        status.backups.map { backup in
          .object([
            ("name", .text(backup.name)), ("created", .time(backup.created)), ("events", .integer(backup.events)),
          ])
        })
    },
    .shown("requested", .boolean.described("True until a requested backup is complete or has failed.")) {
      .boolean($0.isRequested)
    },
    .shown("failure", .nullable(.text).described("The reason why the last attempt failed, if it did.")) {
      $0.failure.map { .text($0) } ?? .null
    },
  ]
}
