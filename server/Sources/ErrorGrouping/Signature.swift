import ServerBase
import TernBase

/// All that an error's group can depend on, in a form that is stored: equal for all errors that no rule of the app and no
/// symbols could ever tell apart.
///
/// These facts decide:
///
/// * the app's own fingerprint alone, if there is one; or else
/// * kind, type, the type of the innermost cause, and the case of a Swift error or the domain and code of an `NSError`;
/// * the app's own frames, of the innermost cause that has some, or else of the crashed thread. Frames of systems, languages'
///   libraries and packages, functions in which runtimes end a process, and reporters are skipped (``FrameOrigin``). A function
///   counts once, so that the depth of a recursion doesn't matter, and an endless recursion is the set of its functions;
/// * without such frames, those of the system, and the first line of the message without its details. The latter counts as
///   well for handled errors whose stack shows only where they were caught.
///
/// Symbols, rules and the choice of the first frames apply later, in ``GroupKey``. So a signature has more frames than a key.
package struct Signature: Hashable, Sendable {
  /// The stored form: lines of a word and a value each, up to 4 KiB.
  package let text: String
  let facts: SignatureFacts

  /// Reads the stored form; returns `nil` if it isn't one.
  package init?(text: String) {
    guard let facts = SignatureFacts(text: text) else { return nil }
    self.init(facts)
  }

  init(_ facts: SignatureFacts) {
    self.facts = facts
    text = facts.text
  }

  /// Returns a hash of the signature of an error, with what is stored beside it once for all errors with this hash; never 0.
  ///
  /// Type and place are as sent: they may contain what belongs to one person.
  package func hash(type: String, place: String) -> Int64 { groupHash([text, type, place]) }

  /// The positions that symbols could name. If there are none, symbols change nothing.
  package var positions: [Position] {
    var seen: Set<Position> = []
    let types = [facts.type, facts.cause].compactMap(facts.position(ofType:))
    return (types + facts.frames.compactMap(facts.position(of:))).filter { seen.insert($0).inserted }
  }

  /// Returns the error's type as sent and its name in the source, if a mapping has another one.
  package func renamedType(_ functions: (Position) -> [SymbolizedFunction]?) -> RenamedType? {
    facts.name(ofType: facts.type, functions).flatMap { name in
      name == facts.type ? nil : RenamedType(sent: facts.type, name: SignatureFacts.cleaned(name))
    }
  }
}

/// The type of an error that R8 or ProGuard has renamed.
package struct RenamedType: Sendable, Hashable {
  package var sent: String
  /// The name in the source.
  package var name: String
}

/// Returns a hash of texts that is the same in every process; never 0.
func groupHash(_ texts: [String]) -> Int64 {
  var hasher = SipHasher(0x7465_726E_2D65_7272, 0x6F72_2D67_726F_7570)
  for text in texts { hasher.append(field: text) }
  let hash = Int64(bitPattern: hasher.finished())
  return hash == 0 ? 1 : hash
}

extension Signature {
  private static let maximumTypeBytes = 512
  private static let maximumMessageBytes = 8 << 10

  /// Creates the signature of an error.
  package init(_ error: GroupingError) {
    var facts = SignatureFacts()
    guard error.fingerprint.utf8.allSatisfy({ $0 == 0x20 }) else {
      facts.fingerprint = Self.bounded(fingerprint: error.fingerprint)
      self.init(facts)
      return
    }
    facts.isCrash = error.isCrash
    let type = error.type.prefix(utf8Bytes: Self.maximumTypeBytes)
    let text = error.message.prefix(utf8Bytes: Self.maximumMessageBytes)
    // A protocol without types repeats the description.
    let isDescribed = error.type == error.message && type.utf8.contains(0x20)
    facts.type = isDescribed ? "" : SignatureFacts.cleaned(TypeName.normalized(type))
    facts.detail = SignatureFacts.cleaned(MessageFacts.caseName(text) ?? "")
    let described = error.stack.isEmpty ? DescribedError(text) : nil
    let stack = StackReading(error.stack, message: text)
    facts.cause = SignatureFacts.cleaned(stack.cause)
    if TypeName.wrappers.contains(facts.type), !facts.cause.isEmpty { (facts.type, facts.cause) = (facts.cause, "") }
    if error.isCrash, let signal = TypeName.signals[facts.type] { facts.type = signal }
    facts.appBuild = error.appBuild
    facts.choose(described?.frame.map { [StackReading.Section(frames: [$0])] } ?? stack.sections)
    let mayBeShortened =
      facts.frames.contains { $0.line != nil }
      || [facts.type, facts.cause].contains { ManagedCall.isShortened(type: $0) }
    if !mayBeShortened { facts.appBuild = "" }
    let isAbort = error.isCrash && MessageFacts.isAbort(text)
    let isTold =
      !facts.isSystem && !isAbort && described?.frame == nil
      && facts.frames.contains { error.isCrash || $0.image.isEmpty || !$0.build.isEmpty }
    if !isTold, facts.detail.isEmpty {
      facts.shape = SignatureFacts.cleaned(MessageFacts.shape(described?.text ?? text))
    }
    self.init(facts)
  }

  /// The app's own choice with a hash in place of what doesn't fit.
  private static func bounded(fingerprint: String) -> String {
    let text = SignatureFacts.cleaned(fingerprint)
    guard text != fingerprint || text.utf8.count >= SignatureFacts.maximumFactBytes - 20 else { return text }
    let hash = String(UInt64(bitPattern: groupHash([fingerprint])), radix: 16)
    return SignatureFacts.cleaned("\(text.prefix(utf8Bytes: SignatureFacts.maximumFactBytes - 20)) #\(hash)")
  }
}

extension SignatureFacts {
  /// The least number of calls of a function in a recursion whose depth is chance, so that nothing below it counts; and the
  /// number of frames of one that is endless, so that nothing above it counts either.
  private static let recursion = (calls: 8, endless: 64)

  /// Chooses the frames that may decide.
  fileprivate mutating func choose(_ sections: [StackReading.Section]) {
    var system: [Frame] = []
    for section in sections {
      var own: [Frame] = []
      var others: [Frame] = []
      var above = 0
      let handler = section.frames.lastIndex { KnownCode.signalFrames.contains($0.function.text) } ?? -1
      for (index, frame) in section.frames.enumerated() where index > handler {
        let origin = FrameOrigin(frame)
        guard origin != .failure else { continue }
        let stored = stored(frame, isReturn: index > 0, isShortened: origin == .app && frame.isShortened)
        if origin == .app {
          if own.isEmpty { above = others.count }
          own.append(stored)
        } else {
          others.append(stored)
        }
      }
      if !own.isEmpty {
        take(own)
        // The only one may be that of `main`, as symbols will tell. Then the frames of the system above it decide.
        if frames.count == 1, own.count == 1, above > 1 {
          frames = others.prefix(min(above, GroupKey.maximumFrames + 1)).map(\.ofSystem) + frames
        }
        return
      }
      if system.isEmpty { system = others }
    }
    guard !system.isEmpty else { return }
    isSystem = true
    take(system)
  }

  private func stored(_ frame: ErrorGrouping.Frame, isReturn: Bool, isShortened: Bool) -> Frame {
    var stored = Frame()
    if !FrameOrigin.isUnknown(frame.function) {
      stored.function = Self.cleaned(FunctionName.normalized(frame.function), limit: 200)
    }
    stored.file = Self.cleaned(FileName.normalized(frame.file), limit: 100)
    if isShortened, !appBuild.isEmpty {
      stored.function = Self.cleaned(frame.function.text, limit: 200)
      stored.line = frame.line
    }
    stored.image = Self.cleaned(frame.imageName.text, limit: 100)
    stored.build = Self.buildIdentifier(frame.build)
    // Without a build identifier, symbols will never name a handled error's position, and each build changes it.
    if frame.offset != nil, isCrash || !stored.build.isEmpty {
      stored.offset = frame.offset
      stored.isReturn = isReturn
    }
    return stored
  }

  /// Returns a build identifier as symbols have it, in lowercase digits without dashes; empty for a text that is none.
  private static func buildIdentifier(_ text: Piece) -> String {
    let digits = text.filter { $0 != 0x2D }
    guard (1...128).contains(digits.count), digits.allSatisfy({ $0.hexadecimalDigit != nil }) else { return "" }
    return String(decoding: digits, as: UTF8.self).lowercased()
  }

  /// Keeps each frame once, and only the recursion of one that is endless.
  private mutating func take(_ all: [Frame]) {
    var calls: [Frame: Int] = [:]
    var unique: [Frame] = []
    for frame in all {
      let call = frame.call
      calls[call, default: 0] += 1
      if calls[call] == 1 { unique.append(frame) }
    }
    let isRepeated = { (frame: Frame) in calls[frame.call, default: 0] >= Self.recursion.calls }
    if let first = unique.firstIndex(where: isRepeated) {
      let cycle = unique.filter(isRepeated)
      isEndless = first == 0 || cycle.reduce(0) { $0 + calls[$1.call, default: 0] } >= Self.recursion.endless
      unique = (isEndless ? [] : unique[..<first]) + cycle
    }
    var size = text.utf8.count + 2 * Self.maximumFactBytes
    for frame in unique.prefix(Self.maximumFrames) {
      size += frame.function.utf8.count + frame.file.utf8.count + frame.image.utf8.count + frame.build.utf8.count + 64
      guard size <= Self.maximumBytes else { break }
      frames.append(frame)
    }
  }
}

/// The names of files.
enum FileName {
  /// Returns the name without folders, and without the hash that bundlers add: `main.3f2a1b9c.js` is `main.js`.
  static func normalized(_ path: Piece) -> String {
    let name = path.suffix(1_024).lastComponent
    let parts = name.split(separator: 0x2E)
    guard parts.count > 2 else { return name.text }
    let kept = parts.enumerated().filter { index, part in
      index == 0 || index == parts.count - 1 || part.count < 6 || !part.contains(where: \.isDigit)
        || !part.allSatisfy { $0.hexadecimalDigit != nil }
    }
    return kept.map(\.element.text).joined(separator: ".")
  }
}

/// A description that holds all that is known of an error, as Google's protocol has it.
struct DescribedError {
  /// The description without the frame.
  var text: String
  /// The frame that it names: `NullPointerException (@Player:play:42) {main}`, `RangeError at 3 App 0x10 play + 8`.
  var frame: Frame?

  init(_ message: String) {
    text = message
    let bytes = Piece(message).prefix(1_024)
    if let open = bytes.find("(@"), let close = bytes[open.upperBound...].find(")") {
      let parts = bytes[open.upperBound..<close.lowerBound].split(separator: 0x3A)
      guard parts.count >= 2, !parts[1].allSatisfy(\.isDigit) else { return }
      frame = Frame()
      frame?.function = parts[0] + [0x2E] + parts[1]
      text = bytes[..<open.lowerBound].text
    } else if let at = bytes.findLast(" at "), let place = Frame(line: bytes[at.upperBound...]) {
      frame = place
      text = bytes[..<at.lowerBound].text
    }
  }
}
