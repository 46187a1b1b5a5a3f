import HTTPTypes
import Questions
import Warehouse

extension APIDescription {
  /// Users, sessions, tokens, the audit log, jobs and backups, which owners manage.
  static let administration: [APIOperation] = users + sessions + tokens + audit + jobs + backups

  private static let user = APIOperation.Parameter.path("user", .identifier)
  private static let job = APIOperation.Parameter.path("job", .identifier)

  /// The precondition of a change.
  static let ifMatch = APIOperation.Parameter.header(
    "If-Match",
    .pattern("^(\\*|\"[0-9a-f]{32}\")$")
      .described("The ETag of the state that the change is meant for. Without it, the change is made in any state."))

  /// The parameters of a page of a long list.
  private static let page: [APIOperation.Parameter] = [
    .query("before", .identifier.described("`next` of the previous answer.")),
    .query("limit", .limited(1...ListPage.maximum).described("The most elements; \(ListPage.usual) without it.")),
  ]
  private static let limit = page[1]

  private static let users: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/users", name: "listUsers", summary: "The people who can log in, and their rights.",
      answers: ["application/json": .object(["users": .list(.named("User"))])]),
    APIOperation(
      method: .post, path: "/api/v1/users", name: "inviteUser",
      summary: "Invites a user. The answer has a link with which they choose a password: it works once, for a week.",
      body: ["application/json": .named("NewUser")], status: 201, answers: ["application/json": .named("Invitation")],
      errors: [400, 413, 503]),
    APIOperation(
      method: .get, path: "/api/v1/users/{user}", name: "user", summary: "One user.", parameters: [user],
      answers: ["application/json": .named("User")], errors: [404]),
    APIOperation(
      method: .patch, path: "/api/v1/users/{user}", name: "changeUser",
      summary: "Changes a user's rights, from the next request on. Members that are missing keep their values.",
      parameters: [user, ifMatch], body: ["application/json": .named("UserChange")],
      answers: ["application/json": .named("User")], errors: [400, 404, 412, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/users/{user}", name: "removeUser",
      summary: "Removes a user with their sessions, or withdraws an invitation.", parameters: [user, ifMatch],
      status: 204, errors: [400, 404, 412]),
    APIOperation(
      method: .post, path: "/api/v1/users/{user}/link", name: "createLoginLink",
      summary: "Creates a link with which a user chooses a password. It works once, for a day, and replaces others.",
      parameters: [user], status: 201, answers: ["application/json": .object(["link": link])], errors: [404]),
  ]

  private static let sessions: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/sessions", name: "listSessions", summary: "All sessions, latest first.",
      answers: ["application/json": .object(["sessions": .list(.named("Session"))])]),
    APIOperation(
      method: .delete, path: "/api/v1/sessions/{session}", name: "endSession", summary: "Logs one browser out.",
      parameters: [.path("session", .identifier)], status: 204, errors: [404]),
    APIOperation(
      method: .get, path: "/api/v1/users/{user}/sessions", name: "listUserSessions",
      summary: "The sessions of a user, latest first.", parameters: [user],
      answers: ["application/json": .object(["sessions": .list(.named("Session"))])], errors: [404]),
    APIOperation(
      method: .delete, path: "/api/v1/users/{user}/sessions", name: "endUserSessions",
      summary: "Logs a user out everywhere.", parameters: [user], status: 204, errors: [404]),
  ]

  private static let tokens: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/tokens", name: "listTokens", summary: "All tokens, without their secrets.",
      answers: ["application/json": .object(["tokens": .list(.named("Token"))])]),
    APIOperation(
      method: .post, path: "/api/v1/tokens", name: "createToken",
      summary: "Creates a token. Its secret is only in this answer.", body: ["application/json": .named("NewToken")],
      status: 201,
      answers: [
        "application/json": .object([
          "token": .named("Token"), "secret": .text.described("The value that programs send. It can't be read again."),
        ])
      ], errors: [400, 413, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/tokens/{token}", name: "revokeToken", summary: "Ends a token at once.",
      parameters: [.path("token", .identifier)], status: 204, errors: [404]),
  ]

  private static let audit: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/audit", name: "listAudit",
      summary: "The audit log, latest first: logins, and changes of settings, users, tokens and links.",
      parameters: page,
      answers: ["application/json": .object(["entries": .list(.named("AuditEntry")), "next": .nullable(.count)])],
      errors: [400]),
    APIOperation(
      method: .delete, path: "/api/v1/audit", name: "pruneAudit",
      summary: "Deletes old entries of the audit log. The deletion itself is recorded.",
      parameters: [
        .query("days", .limited(1...3_650).described("The age beyond which entries are deleted."), isRequired: true)
      ], answers: ["application/json": .object(["deleted": .count])], errors: [400]),
    APIOperation(
      method: .get, path: "/api/v1/failed-logins", name: "listFailedLogins",
      summary: "Failed logins by name and address, those with the latest failure first.", parameters: [limit],
      answers: ["application/json": .object(["logins": .list(.named("FailedLogins"))])], errors: [400]),
  ]

  private static let jobs: [APIOperation] = [
    ("/api/v1", "Jobs", "all apps", []), ("/api/v1/apps/{app}", "AppJobs", "an app", [app]),
  ].flatMap { (path: String, name: String, subject: String, scope: [APIOperation.Parameter]) in
    [
      APIOperation(
        method: .get, path: "\(path)/jobs", name: "list\(name)",
        summary: "The work on stored rows of \(subject) that the server does in the background, latest first.",
        parameters: scope + page,
        answers: ["application/json": .object(["jobs": .list(.named("Job")), "next": .nullable(.count)])],
        errors: [400] + (scope.isEmpty ? [] : [404])),
      APIOperation(
        method: .get, path: "\(path)/jobs/{job}", name: scope.isEmpty ? "job" : "appJob",
        summary: "A job's progress or result.",
        parameters: scope + [job], answers: ["application/json": .named("Job")], errors: [404]),
    ]
  }

  private static let backups: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/backups", name: "backups",
      summary: "The regular backups, earliest first; 404 if the server makes none.",
      answers: ["application/json": .named("Backups")], errors: [404, 503]),
    APIOperation(
      method: .post, path: "/api/v1/backups", name: "createBackup",
      summary: "Makes a backup now, in the background. Asking again before it is complete changes nothing.",
      status: 202,
      answers: ["application/json": .named("Backups")], errors: [404, 503]),
  ]

  private static let link = Schema.text.example(.text("https://tern.example.com/welcome?code=…"))
    .described("The address for the user's browser. It can't be read again.")
  private static let role = Schema.choice(Account.Role.self)
  private static let appNumbers = Schema.nullable(.list(.identifier, 1...UserAPIRoutes.maximumApps))
    .described("The numbers of the apps that the user sees; null for all, also later ones.")
  private static let personalData = Schema.boolean
    .described("True if a viewer may see single events and errors. Editors and owners may in any case.")

  /// The schemas of these operations.
  static let administrationSchemas: Schema.Members = [
    "User": .object([
      "id": .count, "name": .text, "role": role, "apps": .nullable(.list(.count)), "personalData": .boolean,
      "hasPassword": .boolean, "lastLogin": .nullable(.time).described("Null until the invitation is used."),
    ]),
    "NewUser": .object(
      ["name": .text(1...100).example(.text("ann"))],
      optional: [
        "role": .nullable(role).described("A viewer without it."), "apps": appNumbers,
        "personalData": .nullable(personalData),
      ], others: .any),
    "UserChange": .object(
      [:],
      optional: ["role": .nullable(role), "apps": appNumbers, "personalData": .nullable(personalData)], others: .any),
    "Invitation": .object(["user": .named("User"), "link": link]),
    "Session": .object([
      "id": .count, "user": .count, "name": .text, "created": .time,
      "used": .time.described("The time of the last request, to five minutes."), "address": .text, "browser": .text,
    ]),
    "Token": .object([
      "id": .count, "name": .text, "scopes": .list(.choice(AccessToken.Scope.self)),
      "app": .nullable(.count).described("The only app; null for all."), "created": .time, "used": .nullable(.time),
      "expires": .nullable(.time),
    ]),
    "NewToken": .object(
      [
        "name": .text(1...100).example(.text("nightly export")),
        "scopes": .list(.choice(AccessToken.Scope.self), 1...AccessToken.Scope.allCases.count)
          .described("`write` needs an app. `administer` takes none and needs an owner who is logged in."),
      ], optional: ["app": .nullable(.identifier), "days": .nullable(.limited(1...3_650))], others: .any),
    "AuditEntry": .object([
      "id": .count, "time": .time, "who": .text, "action": .text, "object": .text, "address": .text,
    ]),
    "FailedLogins": .object([
      "name": .text, "address": .text, "count": .count, "first": .time, "last": .time,
    ]),
    "Job": .object([
      "id": .count, "kind": .text.example(.text(DataJob.Kind.deletePerson.rawValue)),
      "app": .nullable(.count).described("Null for work on all apps."), "state": .choice(JobStatus.State.self),
      "text": .text.described("The progress, or the result."),
    ]),
    "Backups": .object([
      "everySeconds": .count, "kept": .count,
      "backups": .list(.object(["name": .text, "created": .time, "events": .count])),
      "requested": .boolean.described("True until a requested backup is complete or has failed."),
      "failure": .nullable(.text).described("The reason why the last attempt failed, if it did."),
    ]),
  ]
}
