import TernEvents

/// Converts the errors of all protocols to one form.
struct ErrorReading {
  private static let maximumTypeBytes = 512
  private static let maximumMessageBytes = 8 << 10
  private static let maximumInnerExceptions = 8
  private static let maximumThreads = 64
  private static let maximumImages = 512

  private(set) var type = ""
  private(set) var message = ""
  private var stack = StackText()

  /// Reads an exception: `{"type","message","stackTrace","frames","innerExceptions"}`.
  init(exception: RawJSON) { append(exception, depth: 0) }

  /// Reads an App Center log of type `handledError`, `managedError` or `appleError`.
  init(log: RawJSON) {
    log.member("binaries")?.forEachElement(atMost: Self.maximumImages) { binary in
      guard let image = Self.image(binary) else { return }
      stack.images.append(image)
    }
    if let exception = log.member("exception"), exception.isObject { append(exception, depth: 0) }
    func text(_ name: StaticString, _ limit: Int) -> String { log.member(name)?.lenientText(limit: limit) ?? "" }
    let isUntyped = type.isEmpty
    if isUntyped { type = text("exceptionType", Self.maximumTypeBytes) }
    if message.isEmpty { message = text("exceptionReason", Self.maximumMessageBytes) }
    let signal = text("osExceptionType", Self.maximumTypeBytes)
    if type.isEmpty { type = signal }
    if !signal.isEmpty {
      let rest = [text("osExceptionCode", 128), text("osExceptionAddress", 128)].filter { !$0.isEmpty }
      if message.isEmpty { message = ([signal] + rest).joined(separator: " ") }
    }
    appendThreads(of: log)
  }

  /// Creates an error from a description only.
  init(type: String, message: String) {
    self.type = type
    self.message = message
  }

  /// Returns the error of an event, still without a signature.
  ///
  /// - Parameters:
  ///   - event: The position of its event in the batch.
  ///   - fallback: The type to use if the error has none.
  func error(
    event: Int, id: String, fallback: String, raw: UnsafeRawBufferPointer
  ) -> IncomingError {
    IncomingError(
      event: event, id: id, type: type.isEmpty ? fallback : type, message: message, place: stack.place,
      stack: stack.text, fingerprint: 0, raw: Array(Ingest.text(raw, limit: IncomingError.maximumRawBytes).utf8))
  }

  /// Appends an exception and its causes, outermost first.
  private mutating func append(_ outermost: RawJSON, depth: Int) {
    var next: RawJSON? = outermost
    var count = 0
    while let exception = next, exception.isObject, count < Self.maximumInnerExceptions {
      let type = exception.member("type")?.lenientText(limit: Self.maximumTypeBytes) ?? ""
      let message = exception.member("message")?.lenientText(limit: Self.maximumMessageBytes) ?? ""
      if count == 0 {
        (self.type, self.message) = (type, message)
      } else {
        // Its other lines could pass for frames.
        stack.append(line: "Caused by: \(type): \(message.prefix { !$0.isNewline })")
      }
      let before = stack.text.utf8.count
      stack.append(frames: exception.member("frames"))
      if stack.text.utf8.count == before,
        let trace = exception.member("stackTrace")?.text(limit: IncomingError.maximumStackBytes), !trace.isEmpty
      {
        stack.append(lines: trace, type: type)
      }
      next = nil
      exception.member("innerExceptions")?.forEachElement(atMost: 1) { next = $0 }
      count += 1
    }
  }

  /// Appends the threads, the crashed one first. Calls of the others are never the place of an error.
  private mutating func appendThreads(of log: RawJSON) {
    guard let threads = log.member("threads") else { return }
    var list: [(id: Int?, name: String, thread: RawJSON, isCrashed: Bool)] = []
    threads.forEachElement(atMost: Self.maximumThreads) { thread in
      let id = thread.member("id")?.integer
      let isCrashed = ErrorStack.isCrashed(thread, in: log)
      list.append((id, thread.member("name")?.lenientText(limit: 128) ?? "", thread, isCrashed))
    }
    if !list.isEmpty, !list.contains(where: \.isCrashed), stack.text.isEmpty {
      stack.append(line: ErrorStack.unknownThread)
    }
    var others = StackText()
    others.images = stack.images
    for (id, name, thread, isCrashed) in list {
      let number = id.map { " \($0)" } ?? ""
      let title = "Thread\(number)" + (name.isEmpty ? "" : " \(name)") + (isCrashed ? " (crashed)" : "") + ":"
      if isCrashed {
        stack.append(line: title)
        stack.append(frames: thread.member("frames"))
      } else if !others.isFull {
        others.append(line: title)
        others.append(frames: thread.member("frames"))
      }
    }
    if !others.text.isEmpty { stack.append(line: String(others.text.dropLast())) }
  }

  private static func image(_ binary: RawJSON) -> StackText.Image? {
    func address(_ name: StaticString) -> UInt64? {
      let text = binary.member(name)?.lenientText(limit: 32) ?? ""
      return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
    guard let start = address("startAddress"), let end = address("endAddress"), start <= end else { return nil }
    return StackText.Image(
      name: binary.member("name")?.lenientText(limit: 128) ?? "?",
      buildID: BuildIdentifier.normalized(binary.member("id")?.lenientText(limit: 64) ?? "") ?? "",
      addresses: start...end)
  }
}

/// Returns the ID of an error or attachment: UUIDs in lowercase, because clients send either case, and other text as
/// sent.
func errorID(_ text: String) -> String { UniqueID(text)?.description ?? text }
