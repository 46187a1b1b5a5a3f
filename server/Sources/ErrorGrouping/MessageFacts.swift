import TernBase

/// The part of a message that is the same each time.
enum MessageFacts {
  /// The maximum number of bytes of a message that count.
  private static let maximumBytes = 100

  // MARK: Cases

  /// The case of a Swift error, `codecMissing` for `codecMissing("hevc")`, or the domain and code of an `NSError`, which its
  /// description or Foundation's usual sentence names in any language; `nil` for free text.
  static func caseName(_ message: String) -> String? {
    let text = Piece(message).prefix(4_096).trimmed
    if text.starts("Error Domain="), let code = text.find(" Code=") {
      let domain = text[text.startIndex..<code.lowerBound].without("Error Domain=")
      let number = text[code.upperBound...].prefix { $0.isDigit || $0 == 0x2D }
      return "\(domain.text) \(number.text)"
    }
    return sentence(text) ?? swiftCase(text)
  }

  private static func swiftCase(_ text: Piece) -> String? {
    let name = text.prefix { $0.isLetter || $0.isDigit || $0 == 0x5F || $0 == 0x2E }
    guard let first = name.first, first.isLetter || first == 0x5F, name.count <= maximumBytes else { return nil }
    let rest = text.dropFirst(name.count)
    guard rest.isEmpty || rest.first == 0x28 && rest.last == 0x29 else { return nil }
    // An identifier or a number with letters is a detail.
    guard rest.first == 0x28 || name.reduce(0, { $0 + ($1.isDigit ? 1 : 0) }) < 4 else { return nil }
    return name.text
  }

  /// Reads domain and code of “The operation couldn’t be completed. (NSURLErrorDomain error -1009.)”, which are in the last
  /// brackets in every language.
  private static func sentence(_ text: Piece) -> String? {
    var end = text
    while let last = end.last, last == 0x2E || last.isSpace { end = end.dropLast() }
    if end.ends("。") { end = end.dropLast(3) }
    let isWide = end.ends("）")
    guard isWide || end.last == 0x29 else { return nil }
    end = end.dropLast(isWide ? 3 : 1)
    guard let open = isWide ? end.findLast("（")?.upperBound : opening(end) else { return nil }
    let inside = TypeName.withoutAddress(end[open...])
    guard let code = lastNumber(inside) else { return nil }
    if let error = inside.find(" error ") ?? inside.find(" Code="), error.lowerBound > inside.startIndex {
      return "\(inside[..<error.lowerBound].text) \(code)"
    }
    guard let domain = words(inside).first(where: isDomain) else { return nil }
    return "\(domain.text) \(code)"
  }

  /// Returns the index after the bracket that the end of the text closes.
  private static func opening(_ text: Piece) -> Int? {
    var depth = 1
    for index in text.indices.reversed() {
      if text[index] == 0x29 { depth += 1 }
      if text[index] == 0x28 {
        depth -= 1
        if depth == 0 { return index + 1 }
      }
    }
    return nil
  }

  private static func lastNumber(_ text: Piece) -> String? {
    guard let last = text.lastIndex(where: \.isDigit) else { return nil }
    var start = last
    while start > text.startIndex, text[start - 1].isDigit { start -= 1 }
    let digits = text[start...last].text
    let isNegative =
      start > text.startIndex && text[start - 1] == 0x2D
      && (start - 1 == text.startIndex || !text[start - 2].isLetter)
    return (isNegative ? "-" : "") + digits
  }

  private static func words(_ text: Piece) -> [Piece] {
    text.split { !($0 < 0x80 && $0.isLetter || $0.isDigit || $0 == 0x2E || $0 == 0x5F) }
  }

  /// True for a word like `NSURLErrorDomain` or `App.PlayerError`.
  private static func isDomain(_ word: Piece) -> Bool {
    guard let first = word.first, first.isLetter, word.count > 3 else { return false }
    let inner = word.dropFirst().dropLast()
    return inner.contains { (0x41...0x5A).contains($0) || $0 == 0x2E || $0 == 0x5F }
  }

  // MARK: Shapes

  /// Words before the text of a runtime's message.
  private static let introductions: [StaticString] = [
    "Fatal error: ", "fatal error: ", "Precondition failed: ", "Assertion failed: ",
    "JNI DETECTED ERROR IN APPLICATION: ",
    "SWIFT TASK CONTINUATION MISUSE: ", "panic: ", "Error: ", "error: ",
    "Exception: ", "*** ", "Uncaught ", "Unhandled exception: ", "runtime error: ", "abort: ", "Abort message: ",
  ]

  /// True for a message in which a runtime says why it ends the process, so that it belongs to a place in the source.
  static func isAbort(_ message: String) -> Bool {
    let line = Piece(message).prefix(300)
    for words: StaticString in [
      "Fatal error: ", "Precondition failed: ", "Assertion failed: ", "JNI DETECTED ERROR",
      "terminate called after throwing", "uncaught exception of type",
    ] where line.has(words) { return true }
    return false
  }

  /// Returns the first line without its details: quoted or bracketed parts, text after a colon, numbers, identifiers and
  /// paths.
  static func shape(_ message: String) -> String {
    var line = Piece(message).trimmed.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(1_000)
    // `App/Main.swift:12: Fatal error: …`
    if let colon = line.find(": "), !line[..<colon.lowerBound].has(" "), Frame.isSource(line[..<colon.lowerBound]) {
      line = line[colon.upperBound...]
    }
    var isIntroduced = true
    while isIntroduced {
      let before = line.count
      for introduction in introductions { line = line.without(introduction) }
      isIntroduced = line.count < before
    }
    var result = ""
    for word in withoutEnclosed(line.text).split(whereSeparator: \.isWhitespace) where result.utf8.count < maximumBytes
    {
      if !result.isEmpty { result += " " }
      let isDetail = word.contains { $0.isNumber || $0 == "/" || $0 == "\\" || $0 == "@" || $0 == "=" }
      result += isDetail ? "#" : word
      if word.last == ":", !word.hasSuffix("#:") { break }
    }
    return result.prefix(utf8Bytes: maximumBytes)
  }

  /// Returns the text with `#` in place of each quoted or bracketed part, except names of types: `'std::bad_alloc'`.
  private static func withoutEnclosed(_ text: String) -> String {
    let closings: [Character: Character] = [
      "\"": "\"", "“": "”", "„": "“", "«": "»", "‘": "’", "`": "`", "(": ")", "[": "]", "{": "}", "<": ">", "「": "」",
    ]
    var result = ""
    var enclosed = ""
    var closing: Character?
    var previous: Character = " "
    for character in text {
      if let end = closing {
        if character == end {
          closing = nil
          if enclosed.contains("::"), enclosed.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" }) {
            result += enclosed
          } else {
            result += "#"
          }
        } else {
          enclosed.append(character)
        }
      } else if character == "[", previous == "-" || previous == "+" {
        // A method of Objective-C.
        result.append(character)
      } else if let end = closings[character] ?? (character == "'" && previous.isWhitespace ? "'" : nil) {
        closing = end
        enclosed = ""
      } else {
        result.append(character)
      }
      previous = character
    }
    return closing == nil ? result : result + "#"
  }
}

/// The names of types.
enum TypeName {
  /// Signals that one fault raises on different processors and systems, by the one that stands for both.
  static let signals = ["SIGILL": "SIGTRAP", "SIGBUS": "SIGSEGV"]

  /// Exceptions that only carry another one.
  static let wrappers: Set<String> = [
    "System.AggregateException", "System.Reflection.TargetInvocationException", "System.TypeInitializationException",
    "java.util.concurrent.ExecutionException", "java.util.concurrent.CompletionException",
    "java.lang.reflect.InvocationTargetException", "java.lang.reflect.UndeclaredThrowableException",
    "java.lang.ExceptionInInitializerError",
  ]

  /// Returns the name of a type as it is in each build: without the address of Swift's private contexts and the numbers of
  /// anonymous classes.
  static func normalized(_ type: String) -> String {
    var name = withoutAddress(Piece(type).prefix(512).trimmed)
    if let dollar = name.findLast("$"), dollar.upperBound < name.endIndex,
      name[dollar.upperBound...].allSatisfy(\.isDigit)
    {
      name = name[..<dollar.lowerBound]
    }
    return name.text
  }

  /// Removes `(unknown context at $10a4f)`.
  static func withoutAddress(_ name: Piece) -> Piece {
    var name = name
    while let open = name.find("(unknown context at "), let close = name[open.upperBound...].find(")") {
      name = name[..<open.lowerBound] + name[close.upperBound...].without(".")
    }
    return name
  }
}
