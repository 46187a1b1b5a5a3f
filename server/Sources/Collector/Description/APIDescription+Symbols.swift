import HTTPTypes
import Questions
import Warehouse

extension APIDescription {
  private static let limits =
    "A file with symbols: ELF, or Mach-O as in a dSYM; gzip is allowed. At most 1 GiB, unpacked. The oldest of an app's "
    + "files are deleted when they have more than 8 GiB."

  /// The symbols of builds.
  static let symbols: [APIOperation] = [
    APIOperation(
      method: .get, path: "/api/v1/apps/{app}/symbols", name: "listSymbols",
      summary: "The files with symbols of an app, the latest first.", parameters: [app],
      answers: ["application/json": .object(["symbols": .list(.named("SymbolFile"))])], errors: [404]),
    APIOperation(
      method: .post, path: "/api/v1/apps/{app}/symbols", name: "uploadSymbols",
      summary: "Stores the symbols of a build. They apply to earlier crashes, too.",
      parameters: [app, .query("name", .text(0...255).described("The name of the file, for people."))],
      body: ["application/octet-stream": .text.described(limits)],
      answers: ["application/json": .object(["symbols": .list(.named("SymbolFile"))])], errors: [400, 404, 415, 503]),
    APIOperation(
      method: .delete, path: "/api/v1/apps/{app}/symbols/{build}", name: "deleteSymbols",
      summary: "Deletes the symbols of a build.",
      parameters: [app, .path("build", .pattern("^[0-9a-fA-F-]{8,128}$"))], status: 204, errors: [404]),
  ]

  /// The schemas of symbols.
  static let symbolSchemas: Schema.Members = [
    "SymbolFile": .object(
      [
        "buildId": .text.described("The GNU build ID, or the UUID without dashes."), "architecture": .text,
        "image": .text, "sha256": .pattern("^[0-9a-f]{64}$"), "bytes": .count,
        "hasLines": .boolean.described("False if there are only functions."), "author": .text, "uploaded": .time,
      ],
      optional: [
        "result": .choice(["new", "replaced", "known"]).described("What an upload has done; missing in lists.")
      ])
  ]
}
