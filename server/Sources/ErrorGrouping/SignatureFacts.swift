import TernBase

/// The facts of a signature, and their form as text.
struct SignatureFacts: Hashable, Sendable {
  /// A frame that may decide.
  struct Frame: Hashable, Sendable {
    /// The normalized name of the function; empty if unknown.
    var function = ""
    /// The name of the source file, without folders.
    var file = ""
    /// The name of the image, without folders.
    var image = ""
    /// The position in the image, if it can tell something.
    var offset: UInt64?
    /// The build identifier of the image; empty if unknown.
    var build = ""
    /// True if the position is after a call.
    var isReturn = false
    /// The line of a call whose names R8 may have shortened, so that `function` has them as sent; `nil` for others.
    var line: Int?
    /// True for a frame of the system above the only one of the app.
    var isSystem = false
  }

  /// The app's own choice. If it isn't empty, all other facts are unknown.
  var fingerprint = ""
  var isCrash = false
  var type = ""
  /// The type of the innermost cause.
  var cause = ""
  /// The case of a Swift error, or domain and code.
  var detail = ""
  /// The app's version and build, if names of frames may be shortened; empty if not.
  var appBuild = ""
  /// The message without its details, if the frames can't tell errors apart.
  var shape = ""
  /// True if the frames are those of an endless recursion, in which chance decides which is the first.
  var isEndless = false
  /// True if no frame of the app is known, so that those of the system decide.
  var isSystem = false
  /// The frames, the innermost first.
  var frames: [Frame] = []
}

extension SignatureFacts {
  /// The maximum length of the text, in bytes.
  static let maximumBytes = 4 << 10
  /// The maximum length of one fact, in bytes.
  static let maximumFactBytes = 256
  /// The maximum number of frames.
  static let maximumFrames = 16

  /// The facts as lines of a word and a value each.
  var text: String {
    var text = "1 " + (fingerprint.isEmpty ? isCrash ? "crash" : "error" : "fingerprint")
    func append(_ word: String, _ value: String) {
      if !value.isEmpty { text += "\n\(word) \(value)" }
    }
    append("own", fingerprint)
    append("type", type)
    append("cause", cause)
    append("case", detail)
    append("shape", shape)
    append("build", appBuild)
    if isEndless { text += "\nendless" }
    if isSystem { text += "\nsystem" }
    for frame in frames { text += frame.text }
    return text
  }

  /// Reads the text; returns `nil` if it isn't exactly the text of some facts.
  init?(text: String) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let word = line.prefix { $0 != 0x20 }
      let value = String(Substring(line.dropFirst(word.count + 1)))
      guard read(String(Substring(word)), value, isFirst: index == 0) else { return nil }
    }
    guard self.text == text, isWhole else { return nil }
  }

  private var isWhole: Bool {
    let facts =
      [fingerprint, type, cause, detail, shape, appBuild]
      + frames.flatMap { [$0.function, $0.file, $0.image, $0.build] }
    return frames.count <= Self.maximumFrames + GroupKey.maximumFrames + 1
      && facts.allSatisfy { Self.cleaned($0) == $0 }
      && (fingerprint.isEmpty || self == SignatureFacts(fingerprint: fingerprint))
  }

  /// The position of a frame that symbols or a mapping of names could name.
  func position(of frame: Frame) -> Position? {
    guard let line = frame.line else { return frame.position }
    guard !appBuild.isEmpty else { return nil }
    return Position(method: frame.function, file: frame.file, line: line, appBuild: appBuild)
  }

  /// The position that a type is found by, which is that of its constructor.
  func position(ofType type: String) -> Position? {
    guard !appBuild.isEmpty, !type.isEmpty else { return nil }
    return Position(method: type + Self.constructor, file: "", line: 0, appBuild: appBuild)
  }

  /// Returns the name of a type in the source, if a mapping has it.
  func name(ofType type: String, _ functions: (Position) -> [SymbolizedFunction]?) -> String? {
    guard let name = position(ofType: type).flatMap(functions)?.last?.name, name.hasSuffix(Self.constructor) else {
      return nil
    }
    return String(name.dropLast(Self.constructor.count))
  }

  private static let constructor = ".<init>"

  private init(fingerprint: String) { self.fingerprint = fingerprint }

  private mutating func read(_ word: String, _ value: String, isFirst: Bool) -> Bool {
    if isFirst {
      isCrash = value == "crash"
      return word == "1" && ["crash", "error", "fingerprint"].contains(value)
    }
    switch word {
    case "own": fingerprint = value
    case "type": type = value
    case "cause": cause = value
    case "case": detail = value
    case "shape": shape = value
    case "build" where frames.isEmpty: appBuild = value
    case "endless": isEndless = true
    case "system": isSystem = true
    case "at":
      frames.append(Frame())
      frames[frames.count - 1].function = value
    default: return !frames.isEmpty && frames[frames.count - 1].read(word, value)
    }
    return true
  }

  /// Returns a text as a value: without control characters, and of limited length.
  static func cleaned(_ text: some StringProtocol, limit: Int = maximumFactBytes) -> String {
    let isClean = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    if isClean, text.utf8.count <= limit, text.first != " ", !text.hasSuffix(" ") { return String(text) }
    var scalars = String.UnicodeScalarView()
    for scalar in String(text).prefix(utf8Bytes: limit * 2).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return Piece(String(scalars).prefix(utf8Bytes: limit)).trimmed.text
  }
}

extension SignatureFacts.Frame {
  fileprivate var text: String {
    var text = function.isEmpty ? "\nat" : "\nat \(function)"
    if !file.isEmpty { text += "\nfile \(file)" }
    if !image.isEmpty { text += "\nimage \(image)" }
    if let offset { text += "\noffset " + String(offset, radix: 16) }
    if !build.isEmpty { text += "\nbuild \(build)" }
    if isReturn { text += "\nreturn" }
    if let line { text += "\nline \(line)" }
    if isSystem { text += "\nabove" }
    return text
  }

  fileprivate mutating func read(_ word: String, _ value: String) -> Bool {
    switch word {
    case "file": file = value
    case "image": image = value
    case "offset":
      guard let number = UInt64(value, radix: 16) else { return false }
      offset = number
    case "build": build = value
    case "return": isReturn = true
    case "line":
      guard let number = Int(value) else { return false }
      line = number
    case "above": isSystem = true
    default: return false
    }
    return true
  }

  /// The frame without its relation to the instruction: in a recursion, only the innermost call's differs.
  var call: Self {
    var call = self
    call.isReturn = false
    return call
  }

  /// The frame as one of the system.
  var ofSystem: Self {
    var frame = self
    frame.isSystem = true
    return frame
  }

  /// The frame without what only a mapping of names needs.
  var unmapped: Self {
    guard line != nil else { return self }
    var frame = self
    frame.function = SignatureFacts.cleaned(FunctionName.normalized(Piece(function)), limit: 200)
    frame.line = nil
    return frame
  }

  /// The position that symbols could name.
  var position: Position? {
    guard let offset, !build.isEmpty else { return nil }
    return Position(
      image: image, buildIdentifier: build, offset: offset, kind: isReturn ? .returnAddress : .fault)
  }

  /// The text by which the frame counts.
  var key: String {
    // Names that R8 shortened mean something together with the mapping that it names in place of the file.
    if !function.isEmpty {
      let isShortened = file.hasPrefix("r8-map-id-") && function.utf8.count <= 8
      return FrameOrigin.isAnonymous(function) || isShortened ? "\(function) (\(file))" : function
    }
    guard image.isEmpty else { return offset.map { "\(image) + 0x" + String($0, radix: 16) } ?? image }
    return file
  }
}
