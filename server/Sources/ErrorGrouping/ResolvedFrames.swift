/// The frames that decide, after symbols and rules.
struct Resolved {
  typealias Frame = SignatureFacts.Frame

  /// The frames, the innermost first.
  private(set) var frames: [Frame] = []
  /// The check that failed, as the compiler names it in the place of the innermost call; empty if it names none.
  private(set) var failure = ""

  /// A frame with the reasons not to count it.
  private struct Candidate {
    var frame: Frame
    var origin: FrameOrigin
    var isSkipped: Bool
    /// True if symbols named it.
    var isResolved: Bool
  }

  private var candidates: [Candidate] = []

  init(
    _ facts: SignatureFacts, _ rules: GroupingRules.Matcher, _ functions: (Position) -> [SymbolizedFunction]?
  ) {
    for frame in facts.frames {
      guard let position = facts.position(of: frame), let names = functions(position), !names.isEmpty else {
        append(frame.unmapped, frame.isSystem ? .system : .app, rules)
        continue
      }
      for function in names.prefix(32) { append(function, of: frame, rules) }
    }
    choose(facts)
  }

  private mutating func append(
    _ function: SymbolizedFunction, of frame: Frame, _ rules: GroupingRules.Matcher
  ) {
    let (raw, path) = (Piece(function.name), Piece(function.file ?? ""))
    if candidates.isEmpty, raw.starts("Swift runtime failure: ") {
      failure = SignatureFacts.cleaned(raw.dropFirst(23).text)
    }
    var resolved = Frame()
    resolved.function = SignatureFacts.cleaned(FunctionName.normalized(raw), limit: 200)
    resolved.file = SignatureFacts.cleaned(FileName.normalized(path), limit: 100)
    resolved.image = frame.image
    let origin = FrameOrigin(function: resolved.function, raw: raw, file: path)
    append(resolved, frame.isSystem ? .system : origin, rules, isResolved: true)
  }

  private mutating func append(
    _ frame: Frame, _ origin: FrameOrigin, _ rules: GroupingRules.Matcher, isResolved: Bool = false
  ) {
    let isSkipped = rules.skips(function: frame.function, file: frame.file, image: frame.image)
    candidates.append(Candidate(frame: frame, origin: origin, isSkipped: isSkipped, isResolved: isResolved))
  }

  /// Takes the first frames of the best kind that there is.
  private mutating func choose(_ facts: SignatureFacts) {
    let own = candidates.filter { $0.origin == .app }
    let system = candidates.filter { $0.origin == .system }
    // Functions that only start the program are below every call of the main thread.
    let calls = own.filter { !FrameOrigin.isEntry($0.frame.function) }
    var choices = [calls.filter { !$0.isSkipped }, calls, own, system, candidates]
    if system.contains(where: \.frame.isSystem) { choices.swapAt(2, 3) }
    if facts.isSystem { choices.insert(own.filter(\.isResolved), at: 0) }
    let chosen = choices.first { !$0.isEmpty } ?? []
    take(chosen, limit: limit(of: chosen, facts))
  }

  private func limit(of chosen: [Candidate], _ facts: SignatureFacts) -> Int {
    if facts.isEndless { return SignatureFacts.maximumFrames }
    // Positions of the system need one more, because the first ones often are the same way to die.
    let isUnnamed = chosen.first.map { $0.frame.function.isEmpty && (facts.isSystem || $0.frame.isSystem) } ?? false
    return GroupKey.maximumFrames + (isUnnamed ? 1 : 0)
  }

  /// Takes the first frames, each function once. After a function, a mere position doesn't count: the next build would change
  /// it, and with it the group.
  private mutating func take(_ chosen: [Candidate], limit: Int) {
    var seen: Set<String> = []
    var hasFunction = false
    for candidate in chosen where frames.count < limit {
      let frame = candidate.frame
      if frame.function.isEmpty, frame.offset != nil, hasFunction { continue }
      guard !frame.key.isEmpty, seen.insert(frame.key).inserted else { continue }
      hasFunction = hasFunction || !frame.function.isEmpty
      frames.append(frame)
      // Chance decides who needs a global variable first.
      if frame.function.hasPrefix("one-time initialization function") { return }
    }
  }
}
