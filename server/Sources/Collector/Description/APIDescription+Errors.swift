import HTTPTypes
import Questions
import Warehouse

extension APIDescription {
  private static let group = APIOperation.Parameter.path("group", .identifier)

  /// The status of errors.
  static let errors: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/errors/{group}", name: "errorStatus",
      summary: "The status of an error group.", parameters: [app, group],
      answers: ["application/json": .named("ErrorStatus")], errors: [404, 503]),
    APIOperation(
      method: .put, path: "/api/v1/apps/{app}/errors/{group}", name: "setErrorStatus",
      summary: "Sets the status of an error group. A closed one opens again when it comes back in a later version.",
      parameters: [app, group], body: ["application/json": .named("NewErrorStatus")],
      answers: ["application/json": .named("ErrorStatus")], errors: [400, 404, 413, 503]),
  ]

  /// The schemas of the status of errors.
  static let errorSchemas: Schema.Members = [
    "NewErrorStatus": .object(
      ["status": .choice(ErrorStatus.self)],
      optional: [
        "note": .nullable(.text(0...ErrorState.maximumNoteLength)),
        "version": .nullable(.text(0...250))
          .described("The last version that may still have the error; by default the app's latest one."),
      ], others: .any),
    "ErrorStatus": .object(
      ["group": .count, "status": .choice(ErrorStatus.self), "note": .text],
      optional: [
        "version": .text, "by": .text, "changed": .time,
        "reopenedIn": .text.described("The earliest later version in which a closed error came back."),
      ]),
  ]
}
