/// The name of a function without what a compiler or a build adds to it: parameters, results, generic arguments, numbers of
/// closures and lambdas, specializations and suffixes.
enum FunctionName {
  private static let maximumBytes = 200

  /// Returns the name, or an empty text for code that belongs to no function of the source.
  static func normalized(_ name: Piece) -> String {
    var name = name.prefix(1_024).trimmed
    if isObjectiveC(name) { return objectiveC(name) }
    if let block = name.find("_block_invoke") {
      return normalized(name[..<block.lowerBound].drop { $0 == 0x5F || $0.isDigit })
    }
    if name.starts("_Z"), let plain = demangled(name) { name = plain }
    if name.starts("kfun:") { return String(decoding: name.dropFirst(5).upTo("(").prefix(maximumBytes), as: UTF8.self) }
    if name.has("$$Lambda$") || name.has("$$ExternalSynthetic") { return "" }
    name = swift(name)
    // Swift's long form has modules and a result: `App.Player.play() -> ()` is `Player.play()`.
    let isLong = name.has(" -> ") || name.has(" : ")
    if isObjectiveC(name) { return objectiveC(name) }
    name = withoutSuffix(name)
    var result = withoutEnclosed(name)
    result = withoutRustHash(result)
    result = lambdas(result)
    // The result of a C++ template, or of .NET's enhanced stacks: `void app::play<int>(int)`.
    if name.has("("), !result.has("operator"), !result.starts("one-time "), let space = result.findLast(" ") {
      result = result[space.upperBound...]
    }
    if let allocating = result.find("__allocating_init") {
      result = result[..<allocating.lowerBound] + result[(allocating.lowerBound + 13)...]
    }
    if isLong, let dot = result.find("."), result[dot.upperBound...].has("."), !FrameOrigin.isLibrary(result) {
      result = result[dot.upperBound...]
      // `App.:Swift.Array.chunks` is the app's extension of a type.
      if result.first == 0x3A, let module = result.find(".") { result = result[module.upperBound...] }
    }
    return String(decoding: result.trimmed.prefix(maximumBytes), as: UTF8.self)
  }

  /// Reads the names in a mangled name of C++ or older Rust: `_ZN4boot6Loader4openEPKc` is `boot::Loader::open`.
  private static func demangled(_ name: Piece) -> Piece? {
    var rest = name.dropFirst(2)
    let isNested = rest.first == 0x4E
    if isNested { rest = rest.dropFirst().drop { $0 == 0x4B || $0 == 0x72 } }
    var parts: [Piece] = []
    while let length = Int(rest.prefix(while: \.isDigit).text), length > 0, length < rest.count {
      rest = rest.drop(while: \.isDigit)
      parts.append(rest.prefix(length))
      rest = rest.dropFirst(length)
      guard isNested else { break }
    }
    return parts.isEmpty ? nil : Array(parts.joined(separator: "::".utf8))[...]
  }

  private static func isObjectiveC(_ name: Piece) -> Bool { name.starts("-[") || name.starts("+[") }

  /// Keeps `-[Store open:mode:]`.
  private static func objectiveC(_ name: Piece) -> String {
    let end = name.find("]")?.upperBound ?? name.endIndex
    return String(decoding: name[..<end].prefix(maximumBytes), as: UTF8.self)
  }

  // MARK: Suffixes

  private static let suffixes: [StaticString] = [
    ".<anonymous closure>", ".<fn>", " [clone ", " [inlined]", ".isra.", ".part.", ".cold", ".constprop.", ".lto_priv.",
    ".llvm.", ".resume", ".destroy",
    ".cleanup", ".func1", ".func2", ".func3", ".func4", ".func5", ".func6", ".func7", ".func8", ".func9", "-fm",
    ".gowrap",
    ".deferwrap", " [as ", " + ", "+0x",
  ]

  private static func withoutSuffix(_ name: Piece) -> Piece {
    var name = name
    for suffix in suffixes {
      // Not at the beginning: `.cold` may be a name.
      if let range = name.find(suffix), range.lowerBound > name.startIndex { name = name[..<range.lowerBound] }
    }
    return name
  }

  /// Removes the hash of Rust's names: `app::run::h0123456789abcdef`.
  private static func withoutRustHash(_ name: Piece) -> Piece {
    guard let hash = name.findLast("::h"), name.endIndex - hash.upperBound == 16,
      name[hash.upperBound...].allSatisfy({ $0.hexadecimalDigit != nil })
    else { return name }
    return name[..<hash.lowerBound]
  }

  // MARK: Parameters and generic arguments

  /// Removes parameters, generic arguments and results.
  private static func withoutEnclosed(_ name: Piece) -> Piece {
    var source = name
    // Rust's `<app::Store as core::fmt::Debug>::fmt` is `app::Store::fmt`.
    if source.starts("<"), let end = closing(source, at: source.startIndex), source[(end + 1)...].starts("::") {
      source = source[(source.startIndex + 1)..<end].upTo(" as ") + source[(end + 1)...]
    }
    var result: [UInt8] = []
    var index = source.startIndex
    while index < source.endIndex {
      let byte = source[index]
      let isOperator = isOperatorName(result)
      switch byte {
      case 0x28 where !isOperator || !source[index...].starts("()"):
        let end = closing(source, at: index) ?? source.endIndex - 1
        let inside = source[(index + 1)..<max(end, index + 1)]
        result += kept(of: inside, isFirst: result.isEmpty || result.last == 0x2E)
        index = end + 1
      case 0x28:
        result += source[index..<index + 2]
        index += 2
      case 0x3C where !isOperator && !isKeptName(source[index...]):
        let end = closing(source, at: index) ?? source.endIndex - 1
        // .NET's `<Run>d__5` and `<Run>b__0` are parts of `Run`.
        if result.isEmpty || result.last == 0x2E || result.last == 0x2F || result.last == 0x2B {
          result += source[(index + 1)..<max(end, index + 1)]
          index = end + 1
          if source[index...].starts("d__") || source[index...].starts("b__") || source[index...].starts("g__")
            || source[index...].starts("c__Iterator")
          {
            index = source[index...].firstIndex { $0 == 0x2E } ?? source.endIndex
          }
        } else {
          index = end + 1
        }
      case 0x5B where !isOperator: index = (closing(source, at: index) ?? source.endIndex - 1) + 1
      case 0x60:  // .NET's List`1
        index += 1
        while index < source.endIndex, source[index].isDigit { index += 1 }
      case 0x20
      where source[index...].starts(" -> ") || source[index...].starts(" : ") || source[index...].starts(" const")
        || source[index...].starts(" throws") || source[index...].starts(" async"):
        return result[...]
      case 0x20 where !result.isEmpty && !isOperator && source[index...].dropFirst().first == 0x28:
        index += 1
      default:
        result.append(byte)
        index += 1
      }
    }
    return result[...]
  }

  /// The part of a parenthesis that belongs to the name: Go's `(*Store)`, Swift's `(play in _D3B0)` and `(extension in App)`.
  private static func kept(of inside: Piece, isFirst: Bool) -> Piece {
    if inside.starts("*") { return inside.dropFirst() }
    if inside.starts("extension in ") { return inside.without("extension in ") + [0x2E] }
    if let place = inside.find(" in "), isFirst, !inside.has(":") { return inside[..<place.lowerBound] }
    return labels(of: inside)
  }

  /// Swift's argument labels, which tell functions of one name apart: `(id:name:)` for `(id: Swift.Int, name: Swift.String)`.
  private static func labels(of parameters: Piece) -> Piece {
    var labels: [UInt8] = []
    var isLabel = true
    var depth = 0
    var start = parameters.startIndex
    for index in parameters.indices {
      switch parameters[index] {
      case 0x28, 0x3C, 0x5B: depth += 1
      case 0x29, 0x3E, 0x5D: depth -= 1
      case 0x3A where depth == 0 && isLabel:
        let label = parameters[start..<index].trimmed
        guard !label.isEmpty, label.allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x5F }) else { return [] }
        labels += label + [0x3A]
        // `id:name:` has no commas, `id: Int, name: Int` has.
        isLabel = index + 1 < parameters.endIndex && parameters[index + 1] != 0x20
        start = index + 1
      case 0x3A where depth == 0 && parameters[index - 1] == 0x3A: return []
      case 0x2C where depth == 0:
        isLabel = true
        start = index + 1
      default: break
      }
    }
    guard labels.contains(where: { $0 != 0x5F && $0 != 0x3A }) else { return [] }
    return [0x28] + labels[...] + [0x29]
  }

  /// True for a name in angle brackets that is no list of generic arguments.
  private static func isKeptName(_ text: Piece) -> Bool {
    for name: StaticString in ["<init>", "<clinit>", "<module>", "<lambda>", "<anonymous>", "<listcomp>", "<genexpr>"]
    where text.starts(name) { return true }
    return false
  }

  private static func isOperatorName(_ name: [UInt8]) -> Bool {
    let tail = name.suffix(16)
    guard let range = tail.findLast("operator") else { return false }
    return tail[range.upperBound...].allSatisfy {
      !$0.isLetter && !$0.isDigit && $0 != 0x5F && $0 != 0x3A && $0 != 0x28
    }
  }

  /// Returns the index of the bracket that closes the one at an index.
  private static func closing(_ text: Piece, at start: Int) -> Int? {
    let open = text[start]
    let close: UInt8 = open == 0x28 ? 0x29 : open == 0x3C ? 0x3E : 0x5D
    var depth = 0
    for index in start..<text.endIndex {
      if text[index] == open { depth += 1 }
      // `->` closes nothing.
      if text[index] == close, !(close == 0x3E && index > start && text[index - 1] == 0x2D) {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }

  // MARK: Lambdas

  private static let lambdaWords: [StaticString] = [
    "::{{closure}}", "{{closure}}", "::{closure}", "::{{vtable.shim}}", "$default", ".MoveNext",
    "::$_", "::'lambda'", "-impl",
  ]

  /// Removes numbers and words of closures: `play$1`, `lambda$play$0`, `access$100`, `{closure#0}`.
  private static func lambdas(_ name: Piece) -> Piece {
    var name = name
    for word in lambdaWords {
      while let range = name.find(word), range.lowerBound > name.startIndex || range.upperBound < name.endIndex {
        name = name[..<range.lowerBound] + name[range.upperBound...]
      }
    }
    while let open = name.find("{closure#"), let close = name[open.upperBound...].find("}") {
      name = name[..<open.lowerBound] + name[close.upperBound...]
    }
    // Kotlin's hash of value classes among the parameters: `load-B7oiUAE`.
    if name.count > 8, name[name.endIndex - 8] == 0x2D,
      name.suffix(7).allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x5F || $0 == 0x2D })
    {
      name = name.dropLast(8)
    }
    var result: [UInt8] = []
    var index = name.startIndex
    while index < name.endIndex {
      if name[index] == 0x24, index > name.startIndex {
        let end = name[(index + 1)...].firstIndex { !$0.isDigit } ?? name.endIndex
        if end > index + 1, end == name.endIndex || name[end] == 0x2E || name[end] == 0x24 {
          index = end
          continue
        }
      }
      result.append(name[index])
      index += 1
    }
    while result.last == 0x3A || result.last == 0x2E { result.removeLast() }
    return result[...]
  }
}
