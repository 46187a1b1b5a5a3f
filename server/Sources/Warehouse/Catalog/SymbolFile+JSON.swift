package import JSON

/// A file with symbols as the API shows it, and what its upload has done.
package struct ShownSymbolFile: Sendable {
  private let file: SymbolFile
  private let result: SymbolFile.Addition?

  private let warning: String?

  package init(_ file: SymbolFile, result: SymbolFile.Addition? = nil, warning: String? = nil) {
    (self.file, self.result, self.warning) = (file, result, warning)
  }

  package static let members: [JSONMember<ShownSymbolFile>] = [
    .shown("architecture", .text.described("The processor; `mapping` for a mapping of R8.")) {
      .text($0.file.architecture)
    },
    .shown("author", .text) { .text($0.file.author) },
    .shown("buildId", .text.described("The GNU build ID, the UUID without dashes, or version and build of a mapping."))
    { .text($0.file.buildID) },
    .shown("bytes", .count) { .integer($0.file.bytes) },
    .shown("hasLines", .boolean.described("False if there are only functions.")) { .boolean($0.file.hasLines) },
    .shown("image", .text) { .text($0.file.image) },
    .shownIfAny(
      "result",
      .choice(SymbolFile.Addition.self).described("What an upload has done; missing in lists.")
    ) { shown in shown.result.map { .text($0.rawValue) } },
    .shown("sha256", .pattern("^[0-9a-f]{64}$")) { .text($0.file.hash) },
    .shown("uploaded", .time) { .time($0.file.uploaded) },
    .shownIfAny(
      "warning", .text.described("What stacks will lack, and what to do; missing in lists, and if they lack nothing.")
    ) { shown in shown.warning.map { .text($0) } },
  ]
}
