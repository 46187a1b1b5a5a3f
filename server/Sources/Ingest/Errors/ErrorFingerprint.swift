import TernBase

/// The hash by which errors are grouped: equal in every launch and build of an app for errors with the same cause.
///
/// Kind and type always contribute, and so does the case that a message names: apps usually report an error where they
/// catch it, so the stack alone can't distinguish the cases of an enum. Payloads, numbers, addresses and offsets never
/// contribute, because they differ between users, launches and builds.
struct ErrorFingerprint {
  /// A frame reduced to the parts that are the same in every launch and build.
  struct Frame: Equatable {
    /// The function, or the image if the frame names no function.
    var text: String
    /// The position in the image, for frames without a function.
    var offset = ""
    /// True if the frame names a class, method or file, as in a stack captured where the error was thrown.
    var isStructured = false
  }

  /// The number of frames that contribute.
  static let maximumFrames = 3
  /// The maximum number of characters of a message that contribute.
  private static let maximumBytes = 100

  var kind: StoredKind
  var type: String
  var message: String
  /// The top stack frames.
  var frames: [Frame]

  var value: Int64 {
    var hasher = SipHasher(0x7465_726E_2D65_7272, 0x6F72_2D67_726F_7570)
    hasher.append(byte: UInt8(truncatingIfNeeded: kind.rawValue))
    hasher.append(field: type)
    hasher.append(field: tellingMessage)
    for frame in frames.prefix(Self.maximumFrames) { hasher.append(field: frame.text) }
    // Without symbols, only offsets distinguish crashes with the same signal. Handled errors have their message.
    if kind == .crash, frames.allSatisfy({ !$0.offset.isEmpty }) {
      for frame in frames.prefix(Self.maximumFrames) { hasher.append(field: frame.offset) }
    }
    return Int64(bitPattern: hasher.finished())
  }

  /// The part of the message that contributes.
  ///
  /// Free text contributes only if the stack can't distinguish the errors, because it may contain names that differ
  /// each time.
  private var tellingMessage: String {
    if let name = Self.caseName(message) { return name }
    let isTold = frames.contains(where: \.isStructured) || kind == .crash && !frames.isEmpty
    return isTold ? "" : Self.shape(message)
  }

  /// The case of a Swift error, `codecMissing` for `codecMissing("hevc")`, or the domain and code of an `NSError`;
  /// `nil` for free text.
  static func caseName(_ message: String) -> String? {
    if message.hasPrefix("Error Domain=") { return message.prefix { $0 != "\"" }.prefix(utf8Bytes: 200) }
    let name = message.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard let first = name.first, first.isLetter || first == "_", name.utf8.count <= maximumBytes else { return nil }
    let rest = message.dropFirst(name.count)
    guard rest.isEmpty || rest.first == "(" && rest.last == ")" else { return nil }
    return String(name)
  }

  /// Returns free text without its details: quoted or bracketed parts, text after a colon, numbers, IDs and paths.
  static func shape(_ message: String) -> String {
    let words = withoutEnclosed(message.prefix(utf8Bytes: 1_000)).split(whereSeparator: \.isWhitespace)
    var result = ""
    for word in words where result.utf8.count < maximumBytes {
      if !result.isEmpty { result += " " }
      let isDetail = word.contains { $0.isNumber || $0 == "/" || $0 == "\\" || $0 == "@" || $0 == "=" }
      result += isDetail ? "#" : word
      if word.last == ":" { break }
    }
    return result.prefix(utf8Bytes: maximumBytes)
  }

  /// Returns the text with `#` in place of each quoted or bracketed part.
  private static func withoutEnclosed(_ text: String) -> String {
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

/// Returns the text with `#` in place of each number. A hexadecimal number, such as an address or offset, is replaced
/// as a whole.
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
