/// Lines of languages with virtual machines and interpreters.
extension Frame {
  /// Reads what follows `at `: Java, Kotlin, .NET, Mono, V8, and Tern's own frames with names.
  static func managed(_ line: Piece) -> Frame? {
    // Kotlin's native frames are Apple's with a word before them.
    if line.first?.isDigit == true, let (_, rest) = counted(line), let frame = columns(rest) { return frame }
    var frame = Frame()
    var line = line.without("async ").without("new ")
    if let place = line.findLast(" in "), let colon = line[place.upperBound...].findLast(":"),
      line[colon.upperBound...].starts("line ") || line[place.upperBound...].starts("<")
    {
      frame.file = line[place.upperBound...].starts("<") ? [] : line[place.upperBound..<colon.lowerBound]
      line = line[..<place.lowerBound]
    }
    line = line.upTo(" [0x")
    if line.ends(")"), let open = line.findLast("(") {
      var inside = line[open.upperBound...].dropLast()
      // App Center's client writes Java's -1 for unknown lines, and -2 for native methods.
      if inside.ends(":-1") || inside.ends(":-2") {
        inside = inside.count == 3 ? Piece("Unknown Source") : inside.dropLast(3)
      }
      if isSource(inside) || inside.elementsEqual(Piece("SourceFile")) {
        frame.file = withoutLine(inside.without("address at "))
        frame.function = line[..<open.lowerBound].trimmed
        frame.line = javaLine(inside, function: frame.function)
        return frame
      }
      frame.function = line.has(" (") && !line.has("::") ? line[..<open.lowerBound].trimmed : line
      return frame
    }
    if isSource(line), !line.has(" ") || line.starts("/") || line.has("://") {
      frame.file = withoutLine(line)
      return frame
    }
    let isName =
      !line.has(" ") || line.has("()") || line.has("::") || line.starts("-[") || line.starts("+[")
      || line.has(" + ") || line.has(" in ") && line.has("(")
    guard isName else { return nil }
    frame.function = line
    return frame
  }

  static func python(_ line: Piece) -> Frame? {
    guard let quote = line.find("\""), line[quote.upperBound...].has("line ") else { return nil }
    var frame = Frame()
    frame.file = line[..<quote.lowerBound]
    frame.function = line.findLast(", in ").map { line[$0.upperBound...] } ?? []
    frame.isReversed = true
    return frame
  }

  /// Reads what follows `12: `, with an address or without.
  static func rust(_ line: Piece) -> Frame? {
    var frame = Frame()
    let name = line.starts("0x") ? line.find(" - ").map { line[$0.upperBound...] } ?? [] : line
    guard name.has("::") || !name.has(" ") else { return nil }
    frame.function = name
    return frame
  }

  /// Reads the form of Firefox and Safari, `play@https://host/app.js:1:2`.
  static func javaScript(_ line: Piece) -> Frame? {
    guard let at = line.find("@"), isSource(line[at.upperBound...]), !line[at.upperBound...].has(" ") else {
      return nil
    }
    let file = line[at.upperBound...]
    guard file.has(":/") || file.has(".js") || file.has(".bundle") || file.has("[native code]") else { return nil }
    var frame = Frame()
    frame.function = line[..<at.lowerBound]
    frame.file = withoutLine(file)
    return frame
  }

  /// Reads Unity's `Player:Play (int) (at Assets/Player.cs:12)`, and Ruby's `app.rb:12:in 'play'`.
  static func unity(_ line: Piece) -> Frame? {
    var frame = Frame()
    if let at = line.findLast(" (at "), line.ends(")") {
      frame.file = withoutLine(line[at.upperBound...].dropLast())
      frame.function = line[..<at.lowerBound].upTo("(").trimmed
      return frame
    }
    if let place = line.find(":in `") ?? line.find(":in '") {
      frame.file = withoutLine(line[..<place.lowerBound])
      frame.function = line[place.upperBound...].dropLast()
      return frame
    }
    return nil
  }
}
