/// A call as a line of a stack tells it.
struct Frame: Equatable {
  /// The name or path of the executable or library; empty if unknown.
  var image: Piece = []
  /// The build identifier of the image as sent; empty if unknown.
  var build: Piece = []
  /// The position in the image.
  var offset: UInt64?
  /// The function as sent; empty if unknown.
  var function: Piece = []
  /// The name or path of the source file; empty if unknown.
  var file: Piece = []
  /// The line of a call of Java or Kotlin, 0 if unknown; `nil` for other languages.
  var line: Int?
  /// True for a format that lists the outermost call first.
  var isReversed = false
}

extension Frame {
  /// Reads a line of any format; returns `nil` if it is none of a frame.
  init?(line: Piece) {
    let line = line.prefix(1_024).trimmed
    guard let first = line.first, let frame = Self.read(line, first: first), frame.isUsable else { return nil }
    self = frame
  }

  private var isUsable: Bool { !FrameOrigin.isUnknown(function) || !file.isEmpty || !image.isEmpty && offset != nil }

  private static func read(_ line: Piece, first: UInt8) -> Frame? {
    if line.starts("at ") { return managed(line.dropFirst(3).trimmed) }
    if line.starts("File \"") { return python(line.dropFirst(6)) }
    if first == UInt8(ascii: "#"), let (_, rest) = counted(line.dropFirst()) { return numbered(rest) }
    if line.starts("0x") {
      let rest = line.drop { !$0.isSpace }.trimmed
      // Swift's older backtraces have a comma: `0x55b7c15c82c2, App.play() -> () at /src/App.swift:66`.
      if line[..<rest.startIndex].trimmed.last == 0x2C { return native(rest) }
      return rest.isEmpty || rest.starts("in ") ? nil : place(rest)
    }
    if first.isDigit, let (end, rest) = counted(line) { return end == UInt8(ascii: ":") ? rust(rest) : columns(rest) }
    return place(line) ?? javaScript(line) ?? unity(line)
  }

  /// Splits a number off, with a colon after it.
  static func counted(_ line: Piece) -> (end: UInt8, rest: Piece)? {
    let rest = line.drop(while: \.isDigit)
    guard rest.startIndex > line.startIndex, rest.startIndex - line.startIndex <= 6, let end = rest.first,
      end.isSpace || end == UInt8(ascii: ":")
    else { return nil }
    return (end, rest.dropFirst().trimmed)
  }

  // MARK: Positions

  /// Reads `image(+0xoffset) [build]`, `image(function+0x1c) [0xaddress]` or `image + 0xoffset [build]`.
  private static func place(_ line: Piece) -> Frame? {
    var frame = Frame()
    if let open = line.find("(+0x") ?? line.find("+0x"), let close = line[open.upperBound...].find(")") {
      guard let parenthesis = line[..<open.upperBound].findLast("("), parenthesis.lowerBound > line.startIndex
      else { return nil }
      let name = line[parenthesis.upperBound..<open.upperBound].upTo("+0x")
      frame.image = line[..<parenthesis.lowerBound]
      if name.isEmpty {
        frame.offset = line[open.upperBound..<close.lowerBound].hexadecimal
        frame.build = bracketed(line[close.upperBound...])
      } else {
        frame.function = name
      }
      return frame
    }
    guard let plus = line.find(" + "), plus.lowerBound > line.startIndex else { return nil }
    let offset = line[plus.upperBound...].prefix { !$0.isSpace }
    guard let number = offset.number else { return nil }
    frame.image = line[..<plus.lowerBound]
    // `play() + 12` is a function, `My App + 0x1c` an image.
    if frame.image.has("(") || frame.image.has("::") || frame.image.has("[") {
      frame.function = frame.image
      frame.image = []
    } else {
      frame.offset = number
      frame.build = bracketed(line[offset.endIndex...])
    }
    return frame
  }

  /// The name of the image's file. In a package of Android, it is the part after the exclamation mark.
  var imageName: Piece {
    let name = image.findLast("!").map { image[$0.upperBound...] } ?? image
    return name.lastComponent
  }

  /// The build identifier of ` [8a7f…]`; empty for an address.
  private static func bracketed(_ text: Piece) -> Piece {
    guard let open = text.find("["), let close = text[open.upperBound...].find("]") else { return [] }
    let inside = text[open.upperBound..<close.lowerBound]
    let isIdentifier =
      inside.count <= 128 && inside.allSatisfy { $0.hexadecimalDigit != nil || $0 == UInt8(ascii: "-") }
    return isIdentifier ? inside : []
  }

  /// Reads Apple's columns, `App 0x104388010 play + 28`, and those of Swift's backtraces,
  /// `[ra] 0x104388010 play() + 28 in App at /src/Main.swift:3:5`.
  static func columns(_ line: Piece) -> Frame? {
    var frame = Frame()
    guard let address = line.find(" 0x") ?? (line.starts("0x") ? line.startIndex..<line.startIndex : nil)
    else { return nil }
    var before = line[..<address.lowerBound].trimmed
    if before.ends(" +") { return place(line) }
    let isSystem = before.has("[system]")
    while before.starts("["), let close = before.find("]") { before = before[close.upperBound...].trimmed }
    let rest = line[address.lowerBound...].trimmed.drop { !$0.isSpace }.trimmed
    guard !before.isEmpty else {
      let source = rest.findLast(" at ").map { ($0.lowerBound, rest[$0.upperBound...]) } ?? (rest.endIndex, [])
      let place = rest[..<source.0]
      let image = place.findLast(" in ")
      frame.function = place[..<(image?.lowerBound ?? place.endIndex)]
      frame.image = isSystem ? Piece("libswift") : image.map { place[$0.upperBound...] } ?? []
      frame.file = withoutLine(source.1)
      return frame
    }
    frame.image = before
    let plus = rest.findLast(" + ")
    let name = rest[..<(plus?.lowerBound ?? rest.endIndex)]
    let offset = plus.flatMap { rest[$0.upperBound...].prefix { !$0.isSpace }.number }
    if name.elementsEqual(before) || name.starts("0x") || name.starts("_mh_execute_header") || name.starts("???") {
      frame.offset = offset
    } else if name.elementsEqual(Piece("<redacted>")) {
      frame.offset = offset
    } else {
      frame.function = name
      if let plus, let open = rest[plus.upperBound...].findLast(" ("), rest.ends(")") {
        frame.file = withoutLine(rest[open.upperBound...].dropLast())
      } else if plus == nil, let open = name.findLast(" ("), name.ends(")"),
        isSource(name[open.upperBound...].dropLast())
      {
        frame.function = name[..<open.lowerBound]
        frame.file = withoutLine(name[open.upperBound...].dropLast())
      }
    }
    return frame
  }

  // MARK: Lines with #

  /// Reads what follows `#12`: Android's tombstones, Dart, GDB, sanitizers, PHP.
  private static func numbered(_ line: Piece) -> Frame? {
    var frame = Frame()
    if line.starts("pc ") {
      let rest = line.dropFirst(3).trimmed
      let digits = rest.prefix { !$0.isSpace }
      frame.offset = digits.hexadecimal
      var path = rest.dropFirst(digits.count).trimmed
      if let build = path.findLast("(BuildId: "), let close = path[build.upperBound...].find(")") {
        frame.build = path[build.upperBound..<close.lowerBound]
        path = path[..<build.lowerBound].trimmed
      }
      if path.ends(")"), let open = path.findLast(" ("), !path[open.upperBound...].starts("offset ") {
        frame.function = path[open.upperBound...].dropLast()
        path = path[..<open.lowerBound]
        if let plus = frame.function.findLast("+") { frame.function = frame.function[..<plus.lowerBound] }
      }
      frame.image = path.upTo(" (").trimmed
      return frame
    }
    if line.starts("abs "), let virtual = line.find(" virt ") {
      frame.offset = line[virtual.upperBound...].prefix { !$0.isSpace }.hexadecimal
      frame.image = Piece("libapp.so")
      return frame
    }
    if line.starts("0x") {
      // GDB and sanitizers: `0x55d0 in play(int) (n=1) at file.c:12`, `… from /lib/libc.so.6`, `… /src/file.c:12:3`.
      let rest = line.drop { !$0.isSpace }.trimmed
      return native(rest.without("in "))
    }
    if line.ends(")"), let open = line.findLast(" ("), isSource(line[open.upperBound...].dropLast()) {
      frame.function = line[..<open.lowerBound]
      frame.file = withoutLine(line[open.upperBound...].dropLast())
      return frame
    }
    // PHP: `/srv/app.php(12): Foo->bar()`.
    if let colon = line.find("): "), let open = line[..<colon.lowerBound].findLast("(") {
      frame.file = line[..<open.lowerBound]
      frame.function = line[colon.upperBound...]
      return frame
    }
    return native(line)
  }

  private static func native(_ line: Piece) -> Frame? {
    var frame = Frame()
    if let from = line.findLast(" from ") {
      frame.image = line[from.upperBound...]
      frame.function = line[..<from.lowerBound].upTo(" (")
    } else if let at = line.findLast(" at ") {
      frame.file = withoutLine(line[at.upperBound...])
      frame.function = line[..<at.lowerBound].upTo(" (")
    } else if line.starts("("), let place = place(line.dropFirst()) {
      return place
    } else if let space = line.findLast(" /") {
      frame.function = line[..<space.lowerBound]
      frame.file = withoutLine(line[(space.lowerBound + 1)...])
    } else {
      frame.function = line.upTo(" (")
    }
    return frame
  }

  // MARK: Sources

  /// True for `file.ext`, `file.ext:12`, and the words that stand for unknown files.
  static func isSource(_ text: Piece) -> Bool {
    if text.starts("Native Method") || text.starts("Unknown Source") || text.elementsEqual(Piece("native")) {
      return true
    }
    if text.starts("<anonymous>") || text.starts("[native code]") || text.has("://") || text.starts("address at ") {
      return true
    }
    guard !text.has(", "), !text.isEmpty else { return false }
    if text.starts("r8-map-id-") { return true }
    let name = text.lastComponent
    if let colon = name.findLast(":"), name[colon.upperBound...].first?.isDigit == true { return true }
    guard let dot = name.findLast(".") else { return false }
    let suffix = name[dot.upperBound...]
    return !name.has(" ") && KnownCode.sourceSuffixes.contains(suffix.text)
  }

  /// The file without line and column, query and the words that stand for unknown files.
  static func withoutLine(_ text: Piece) -> Piece {
    if text.starts("Native Method") || text.starts("Unknown Source") || text.starts("<anonymous>") { return [] }
    if text.elementsEqual(Piece("native")) { return Piece("[native code]") }
    var text = text.trimmed
    for _ in 0..<2 {
      guard let colon = text.findLast(":") else { break }
      let rest = text[colon.upperBound...]
      guard rest.allSatisfy(\.isDigit) else { break }
      text = text[..<colon.lowerBound]
    }
    return text.upTo("?")
  }
}
