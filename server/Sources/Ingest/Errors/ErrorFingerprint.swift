/// The hash that groups errors: equal for errors that are the same fault, in every launch and build of an app.
///
/// Kind and type always count, and so does the case that a message names. An app usually reports an error where it
/// catches it, so the stack alone can't tell the cases of an enum apart. Payloads, numbers, addresses and offsets never
/// count: they differ from user to user, launch to launch and build to build.
struct ErrorFingerprint {
  /// A frame reduced to what stays the same in every launch and build.
  struct Frame: Equatable {
    /// The function, or the image if the frame names no function.
    var text: String
    /// The position in the image, for frames without a function.
    var offset = ""
    /// True if the frame comes with class, method or file, as a stack taken where the error was thrown does.
    var isStructured = false
  }

  /// The number of frames that count.
  static let maximumFrames = 3
  /// The longest part of a message that counts, in characters.
  private static let maximumCharacters = 100

  var kind: StoredKind
  var type: String
  var message: String
  /// The frames at the top of the stack.
  var frames: [Frame]

  var value: Int64 {
    var hasher = SipHasher(0x7465_726E_2D65_7272, 0x6F72_2D67_726F_7570)
    hasher.append(byte: UInt8(truncatingIfNeeded: kind.rawValue))
    hasher.append(field: type)
    hasher.append(field: tellingMessage)
    for frame in frames.prefix(Self.maximumFrames) { hasher.append(field: frame.text) }
    // Without symbols only positions tell one crash by a signal from another; handled errors have their message.
    if kind == .crash, frames.allSatisfy({ !$0.offset.isEmpty }) {
      for frame in frames.prefix(Self.maximumFrames) { hasher.append(field: frame.offset) }
    }
    return Int64(bitPattern: hasher.finished())
  }

  /// The part of the message that counts.
  ///
  /// Free text counts only where the stack can't tell the faults apart: it may hold names that differ each time.
  private var tellingMessage: String {
    if let name = Self.caseName(message) { return name }
    let isTold = frames.contains(where: \.isStructured) || kind == .crash && !frames.isEmpty
    return isTold ? "" : Self.shape(message)
  }

  /// The case that a Swift error prints, `codecMissing` of `codecMissing("hevc")`, or the domain and code of an
  /// `NSError`; `nil` for free text.
  static func caseName(_ message: String) -> String? {
    if message.hasPrefix("Error Domain=") { return String(message.prefix { $0 != "\"" }.prefix(200)) }
    let name = message.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard let first = name.first, first.isLetter || first == "_", name.count <= maximumCharacters else { return nil }
    let rest = message.dropFirst(name.count)
    guard rest.isEmpty || rest.first == "(" && rest.last == ")" else { return nil }
    return String(name)
  }

  /// Free text without its details: what stands in quotes and brackets or follows a colon, numbers, ids, paths.
  static func shape(_ message: String) -> String {
    let words = withoutEnclosed(message.prefix(1_000)).split(whereSeparator: \.isWhitespace)
    var result = ""
    for word in words where result.count < maximumCharacters {
      if !result.isEmpty { result += " " }
      let isDetail = word.contains { $0.isNumber || $0 == "/" || $0 == "\\" || $0 == "@" || $0 == "=" }
      result += isDetail ? "#" : word
      if word.last == ":" { break }
    }
    return String(result.prefix(maximumCharacters))
  }

  /// The text with `#` in place of each part in quotes or brackets.
  private static func withoutEnclosed(_ text: Substring) -> String {
    let closings: [Character: Character] = [
      "\"": "\"", "“": "”", "„": "“", "«": "»", "‘": "’", "`": "`", "(": ")", "[": "]", "{": "}", "<": ">",
    ]
    var result = ""
    var closing: Character?
    var previous: Character = " "
    for character in text {
      if let end = closing {
        if character == end { closing = nil }
      } else if let end = closings[character] ?? (character == "'" && previous.isWhitespace ? "'" : nil) {
        closing = end
        result += "#"
      } else {
        result.append(character)
      }
      previous = character
    }
    return result
  }
}

/// The text with `#` in place of each number; hexadecimal numbers count whole, as addresses and offsets do.
func withoutNumbers(_ text: String) -> String {
  var result = ""
  var rest = text[...]
  while let character = rest.first {
    guard character.isASCII, character.isNumber else {
      result.append(character)
      rest.removeFirst()
      continue
    }
    if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
      rest = rest.dropFirst(2).drop { $0.isASCII && $0.isHexDigit }
    } else {
      rest = rest.drop { $0.isASCII && $0.isNumber }
    }
    result.append("#")
  }
  return result
}
