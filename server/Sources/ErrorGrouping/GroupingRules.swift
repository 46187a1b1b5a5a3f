/// The frames that an app wants to be skipped, because they are the same for errors that differ: those of a helper that
/// reports errors, of a file, or of a bundled library.
///
/// A rule is a name in which `*` stands for any text. A function may be named with or without its type, and without its
/// parameters: `report` or `report(_:)` for `Logger.report(_:)`.
package struct GroupingRules: Sendable, Equatable {
  /// The functions.
  package let skippedFunctions: [String]
  /// The names of source files, without folders.
  package let skippedFiles: [String]
  /// The names of executables and libraries, without folders.
  package let skippedImages: [String]

  /// Rules that skip nothing.
  package static let none = GroupingRules(functions: [], files: [], images: [])

  /// The maximum number of rules.
  package static let maximumCount = 100
  /// The maximum length of a rule, in characters.
  package static let maximumLength = 200

  /// The maximum number of stars in a rule, since each can cost as many steps as a text is long.
  static let maximumStars = 4

  /// Rules that can't be used.
  package struct Invalid: Error, Equatable, CustomStringConvertible {
    /// The reason, and what to do.
    package let description: String
  }

  /// Creates rules.
  ///
  /// - Throws: ``Invalid``.
  package init(
    skippedFunctions: [String] = [], skippedFiles: [String] = [], skippedImages: [String] = []
  ) throws(Invalid) {
    let rules = skippedFunctions + skippedFiles + skippedImages
    guard rules.count <= Self.maximumCount else {
      throw Invalid(
        description: "These are \(rules.count) rules. Leave at most \(Self.maximumCount); * stands for any text.")
    }
    for rule in rules {
      guard rule.utf8.count <= Self.maximumLength * 4, rule.count <= Self.maximumLength else {
        throw Invalid(description: "A rule has more than \(Self.maximumLength) characters. Shorten it with *.")
      }
      guard rule.count(where: { $0 == "*" }) <= Self.maximumStars else {
        throw Invalid(description: "A rule has more than \(Self.maximumStars) stars. Shorten it.")
      }
      guard rule.contains(where: { $0 != "*" && !$0.isWhitespace }) else {
        throw Invalid(description: "A rule names nothing. Name a function, a file or an image.")
      }
      guard !rule.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
        throw Invalid(description: "A rule contains a line break or another control character. Remove it.")
      }
    }
    self.init(functions: skippedFunctions, files: skippedFiles, images: skippedImages)
  }

  private init(functions: [String], files: [String], images: [String]) {
    (skippedFunctions, skippedFiles, skippedImages) = (functions, files, images)
  }
}

extension GroupingRules {
  /// The rules as bytes, prepared for many frames.
  struct Matcher {
    private let functions: [Piece]
    private let files: [Piece]
    private let images: [Piece]

    init(_ rules: GroupingRules) {
      functions = rules.skippedFunctions.map { Self.withoutParameters(Piece($0).trimmed) }
      files = rules.skippedFiles.map { Piece($0).trimmed.lastComponent }
      images = rules.skippedImages.map { Piece($0).trimmed.lastComponent }
    }

    private static func withoutParameters(_ name: Piece) -> Piece {
      name.starts("-[") || name.starts("+[") ? name : name.upTo("(")
    }

    /// Returns true if a rule skips a frame. Unknown parts of the frame are empty.
    func skips(function: String, file: String, image: String) -> Bool {
      if !image.isEmpty, images.contains(where: { Self.matches(Piece(image), $0) }) { return true }
      if !file.isEmpty, files.contains(where: { Self.matches(Piece(file), $0) }) { return true }
      guard !functions.isEmpty, !function.isEmpty else { return false }
      let name = Self.withoutParameters(Piece(function))
      return functions.contains { rule in
        if Self.matches(name, rule) { return true }
        // The last parts of the name: after each `.` or `:`.
        guard !rule.isEmpty, rule.first != 0x2A else { return false }
        return name.indices.dropFirst().contains { index in
          let before = name[index - 1]
          return (before == 0x2E || before == 0x3A || before == 0x2F) && name[index] != 0x3A
            && Self.matches(name[index...], rule)
        }
      }
    }

    /// Compares a text with a rule in which `*` stands for any text, in time of at most the product of both lengths.
    static func matches(_ text: Piece, _ rule: Piece) -> Bool {
      var (index, position) = (text.startIndex, rule.startIndex)
      var star: (index: Int, position: Int)?
      while index < text.endIndex {
        if position < rule.endIndex, rule[position] == 0x2A {
          star = (index, position + 1)
          position += 1
        } else if position < rule.endIndex, rule[position] == text[index] {
          index += 1
          position += 1
        } else if let last = star {
          star = (last.index + 1, last.position)
          (index, position) = (last.index + 1, last.position)
        } else {
          return false
        }
      }
      return rule[position...].allSatisfy { $0 == 0x2A }
    }
  }
}
