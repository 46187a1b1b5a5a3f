/// The frames of a stack's text, and the causes that it names.
///
/// Lines that are no frames never count: between the name of an error and its frames is its message, which may hold the names
/// of people.
struct StackReading {
  /// The calls of an exception or a thread, the innermost first.
  struct Section {
    var frames: [Frame] = []
    /// True for the calls of a crashed thread.
    var isThread = false
  }

  /// The maximum number of bytes that are read, which is what is stored of a stack.
  static let maximumBytes = 64 << 10
  private static let maximumFrames = 512
  private static let maximumSections = 16

  /// The exceptions, the innermost cause first, then the crashed thread.
  private(set) var sections = [Section()]
  /// The type of the innermost cause; empty if the text names none.
  private(set) var cause = ""

  private var current = 0
  private var isSkipping = false
  private var hasThreads = false
  private var previous: Piece = []

  init(_ stack: String, message: String) {
    let details = Set(
      message.utf8.prefix(8 << 10).split(separator: 0x0A).dropFirst().map { Piece(Substring($0)).trimmed })
    for line in Array(stack.utf8.prefix(Self.maximumBytes))[...].split(separator: 0x0A) {
      let text = line.prefix(2_048)
      if details.isEmpty || !details.contains(text.trimmed) { read(text) }
    }
    for index in sections.indices where sections[index].frames.first?.isReversed == true {
      sections[index].frames.reverse()
    }
  }

  private mutating func read(_ line: Piece) {
    let text = line.trimmed
    defer { previous = text }
    if readMarker(text, isIndented: line.first?.isSpace == true) || isSkipping || readSource(text, line) { return }
    guard sections[current].frames.count < Self.maximumFrames, let frame = Frame(line: text) else { return }
    sections[current].frames.append(frame)
  }

  /// Reads a line that begins or ends a section.
  private mutating func readMarker(_ text: Piece, isIndented: Bool) -> Bool {
    if text.starts("Caused by: ") {
      begin(at: 0)
      note(cause: text.dropFirst(11))
    } else if text.starts("Suppressed: ") {
      isSkipping = true
    } else if text.starts("--- End of inner exception stack trace") {
      begin(at: current + 1)
    } else if text.starts("The above exception was the direct cause") {
      begin(at: current + 1)
    } else if text.starts("During handling of the above exception") || text.starts("Last Exception Backtrace") {
      begin(at: 0)
    } else if text.ends(":") || text.ends("rashed)"), text.starts("Thread ") || text.starts("goroutine ") {
      let isCrashed =
        text.has("rashed") || text.starts("goroutine ") && !hasThreads
      hasThreads = true
      isSkipping = !isCrashed
      if isCrashed, sections.count < Self.maximumSections {
        sections.append(Section(isThread: true))
        current = sections.count - 1
      }
    } else {
      if let inner = text.findLast(" ---> ") {
        note(cause: text[inner.upperBound...])
      } else if text.starts("---> ") {
        note(cause: text.dropFirst(5))
      }
      return false
    }
    return true
  }

  private mutating func begin(at index: Int) {
    isSkipping = false
    guard sections.count < Self.maximumSections else { return }
    sections.insert(Section(), at: min(index, sections.count))
    current = min(index, sections.count - 1)
  }

  /// Notes the type of a cause, `Type: message`.
  private mutating func note(cause text: Piece) {
    let type = text.upTo(": ").trimmed.upTo(":").trimmed
    guard !type.has(" ") else { return }
    cause = TypeName.normalized(type.text)
  }

  /// Reads a line that names the file of the frame before it, as in Rust and Go.
  private mutating func readSource(_ text: Piece, _ line: Piece) -> Bool {
    if text.starts("at /") || text.starts("at ./") || text.starts("at src/"), var frame = sections[current].frames.last,
      frame.file.isEmpty, previous.first?.isDigit == true
    {
      frame.file = Frame.withoutLine(text.dropFirst(3))
      sections[current].frames[sections[current].frames.count - 1] = frame
      return true
    }
    guard line.first == 0x09 || line.starts("    "), let go = text.find(".go:"), !text.starts("at ") else {
      return false
    }
    guard previous.ends(")") || previous.starts("created by "), sections[current].frames.count < Self.maximumFrames
    else { return true }
    var frame = Frame()
    let name = previous.without("created by ")
    // The last parenthesis holds the arguments: `main.(*Store).open(0xc000)`.
    frame.function =
      previous.ends(")") ? name.findLast("(").map { name[..<$0.lowerBound] } ?? name : name.upTo(" in goroutine")
    frame.file = text[..<(go.upperBound - 1)]
    sections[current].frames.append(frame)
    return true
  }
}
