package import ErrorGrouping
package import JSON

/// The decisions of people about an app's groups of errors.
package struct ErrorDecisions: Sendable, Hashable {
  /// Two groups that are one.
  package struct Merge: JSONDescribed, Hashable {
    /// The number of the group that was merged.
    package var group: Int64
    /// A number of the group that it belongs to since.
    package var into: Int64

    package init(group: Int64, into: Int64) { (self.group, self.into) = (group, into) }

    package static let standard = Merge(group: 0, into: 0)
    package static let members: [JSONMember<Merge>] = [
      .required("group", \.group, .identifier), .required("into", \.into, .identifier),
    ]
  }

  /// The frames that don't count.
  package var rules = ErrorRules()
  /// The merged groups, in the order of their numbers.
  package var merged: [Merge] = []
  /// The numbers of stacks that were taken out of their groups, in order.
  package var split: [Int64] = []

  /// The most groups of an app that can be merged, and the most stacks that can be taken out.
  package static let maximumCount = 1_000

  package init() {}
}

/// An app's rules for its groups of errors, as they are read and written; see ``GroupingRules``.
package struct ErrorRules: JSONDescribed, Hashable {
  package var skippedFiles: [String] = []
  package var skippedFunctions: [String] = []
  package var skippedImages: [String] = []

  package init() {}

  /// The rules that apply.
  ///
  /// - Throws: ``WarehouseError`` with code `invalid` if one can't be used.
  package func grouping() throws(WarehouseError) -> GroupingRules {
    do throws(GroupingRules.Invalid) {
      return try GroupingRules(
        skippedFunctions: skippedFunctions, skippedFiles: skippedFiles, skippedImages: skippedImages)
    } catch {
      throw WarehouseError(.invalid, error.description)
    }
  }

  private static func patterns(_ text: String) -> JSONCodec<[String]> {
    .list(
      .text(atMost: .max).specified(.text(1...GroupingRules.maximumLength)), 0...GroupingRules.maximumCount
    ).described(text)
  }

  package static let standard = ErrorRules()
  /// The members of the JSON object, in the order of their names. A missing one skips nothing.
  package static let members: [JSONMember<ErrorRules>] = [
    .optional(
      "skippedFiles", \.skippedFiles, patterns("Names of source files without folders; * stands for any text.")),
    .optional(
      "skippedFunctions", \.skippedFunctions,
      patterns("Functions, with or without their types, such as report(_:); * stands for any text.")),
    .optional(
      "skippedImages", \.skippedImages,
      patterns("Executables and libraries without folders; * stands for any text.")),
  ]
}

extension ErrorDecisions {
  /// The members of the JSON object, in the order of their names.
  package static let members: [JSONMember<ErrorDecisions>] = [
    .shown("merged", .list(Merge.codec.schema)) { .array($0.merged.map(Merge.codec.encode)) },
    .shown("rules", ErrorRules.codec.schema) { ErrorRules.codec.encode($0.rules) },
    .shown("split", .list(.count)) { .array($0.split.map { .integer(Int($0)) }) },
  ]
}
