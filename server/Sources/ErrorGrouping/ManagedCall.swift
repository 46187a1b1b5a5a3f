/// A call of a method of Java or Kotlin, whose names R8 or ProGuard may have shortened.
package struct ManagedCall: Hashable, Sendable {
  /// The full name of the class.
  package var className: String
  /// The name of the method, without parameters.
  package var method: String
  /// The name of the source file, or what stands in its place; empty if unknown.
  package var file: String
  /// The line; 0 if unknown.
  package var line: Int

  /// Creates a call; returns `nil` if the function is none of Java or Kotlin.
  ///
  /// - Parameter function: Class and method, as `com.example.Player.play`.
  package init?(function: String, file: String, line: Int) {
    guard let parts = Self.parts(Piece(function)) else { return nil }
    self.init(
      className: parts.className.text, method: parts.method.text, file: Frame.withoutLine(Piece(file)).text,
      line: line)
  }

  /// Reads a line of a stack, `at d.a.a.onClick(SourceFile:12)`; returns `nil` if it isn't one of Java or Kotlin.
  package init?(text: String) {
    guard let frame = Frame(line: Piece(text)), let line = frame.line, let parts = Self.parts(frame.function) else {
      return nil
    }
    self.init(className: parts.className.text, method: parts.method.text, file: frame.file.text, line: line)
  }

  private init(className: String, method: String, file: String, line: Int) {
    (self.className, self.method, self.file, self.line) = (className, method, file, line)
  }

  /// True if it is a call of the app's own code, by its name, and the name may be a shortened one.
  package var isShortened: Bool {
    var frame = Frame()
    (frame.function, frame.file, frame.line) = (Piece("\(className).\(method)"), Piece(file), line)
    return frame.isShortened && FrameOrigin(frame) == .app
  }

  /// True if the file is named like the class, as the compiler wants it of public classes, so that neither can be shortened; and for
  /// calls of native code, which have no names to find.
  package var isCertain: Bool {
    if file == "Native Method" { return true }
    let simple = className.split(separator: ".").last?.split(separator: "$").first ?? ""
    return file == "\(simple).java" || file == "\(simple).kt"
  }

  /// True if a part of a class's name, between `$`, has one or two letters.
  static func hasShortPart(_ name: Piece) -> Bool {
    name.split(separator: UInt8(ascii: "$")).contains { part in
      part.count <= 2 && !part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  /// True for the name of a type, with its package, that R8 may have shortened.
  static func isShortened(type: String) -> Bool {
    parts(Piece(type)).map { hasShortPart($0.method) } ?? false
  }

  /// Splits a name at its last dot.
  static func parts(_ function: Piece) -> (className: Piece, method: Piece)? {
    guard let dot = function.findLast("."), dot.lowerBound > function.startIndex, dot.upperBound < function.endIndex,
      !function.contains(where: { $0 <= 0x20 || "()/:,\\".utf8.contains($0) })
    else { return nil }
    return (function[..<dot.lowerBound], function[dot.upperBound...])
  }
}

/// Returns the name of an app's build, by which its mapping is found: `1.2 (34)`; empty unless version and build are known.
package func appBuildName(version: String, build: String) -> String {
  guard !version.isEmpty, !build.isEmpty else { return "" }
  return SignatureFacts.cleaned("\(version) (\(build))", limit: 200)
}

extension Frame {
  /// Reads the line of a call of Java or Kotlin from what is in its parentheses: 0 without one, `nil` for other languages.
  static func javaLine(_ inside: Piece, function: Piece) -> Int? {
    guard ManagedCall.parts(function) != nil, !inside.starts("<"), !inside.starts("["), !inside.has("/"),
      !inside.starts("address at "), !inside.elementsEqual(Piece("native"))
    else { return nil }
    guard let colon = inside.findLast(":") else { return 0 }
    return Int(inside[colon.upperBound...].prefix(9).text) ?? 0
  }

  /// True for a call of Java or Kotlin whose names R8 may have shortened: its source file is unknown, a word in its place, or has
  /// a name while that of class or method is short.
  ///
  /// A name that is taken for shortened costs only a signature for each build.
  var isShortened: Bool {
    guard line != nil, let (className, method) = ManagedCall.parts(function) else { return false }
    guard let dot = file.findLast(".") else { return true }
    let suffix = file[dot.upperBound...].text
    guard suffix == "java" || suffix == "kt" else { return !KnownCode.sourceSuffixes.contains(suffix) }
    let name = className.findLast(".").map { className[$0.upperBound...] } ?? className
    return method.count <= 2 || ManagedCall.hasShortPart(name)
  }
}
