import TernBase

extension ErrorStack {
  private static let maximumThreads = 64
  private static let maximumFrames = 4_096
  private static let maximumImages = 512
  private static let maximumRegisters = 128
  private static let maximumExceptions = 8
  private static let maximumTextBytes = 1_024

  /// Decodes a stored error: an exception of the native protocol, or a log of App Center.
  ///
  /// - Parameter raw: The error as sent; it may end anywhere.
  package init(raw: String) {
    self.init()
    let bytes = Array(raw.utf8)
    bytes.withUnsafeBytes { buffer in
      let error = RawJSON(buffer)
      guard error.isObject else { return }
      readImages(error.member("binaries"))
      if let exception = error.member("exception") { readExceptions(exception) }
      readThreads(of: error)
      readSteps(of: error)
    }
  }

  private var frameCount: Int { threads.reduce(0) { $0 + $1.frames.count } }

  private static func text(_ value: RawJSON?, limit: Int = maximumTextBytes) -> String {
    value?.lenientText(limit: limit) ?? ""
  }

  // MARK: Exceptions

  /// Reads an exception and its causes, outermost first.
  private mutating func readExceptions(_ outermost: RawJSON) {
    var next: RawJSON? = outermost
    var count = 0
    while let exception = next, exception.isObject, count < Self.maximumExceptions {
      let cause = "Caused by: \(Self.text(exception.member("type"))): \(Self.text(exception.member("message")))"
      var thread = Thread(name: count == 0 ? "" : cause)
      thread.isCause = count > 0
      let room = Self.maximumFrames - frameCount
      exception.member("frames")?.forEachElement(atMost: room) { thread.frames.append(frame($0, isInnermost: false)) }
      let trace = exception.member("stackTrace")?.text(limit: IncomingError.maximumStackBytes) ?? ""
      let hasFrames = !thread.frames.isEmpty
      if !hasFrames {
        for line in trace.split(whereSeparator: \.isNewline).prefix(room) {
          var frame = Frame()
          frame.text = String(line.drop(while: \.isWhitespace)).prefix(utf8Bytes: Self.maximumTextBytes)
          thread.frames.append(frame)
        }
      }
      if count == 0 || !thread.frames.isEmpty { threads.append(thread) }
      if count == 0, hasFrames, !trace.isEmpty { readSections(trace) }
      next = nil
      exception.member("innerExceptions")?.forEachElement(atMost: 1) { next = $0 }
      count += 1
    }
    if threads.first?.frames.isEmpty == true { threads.removeFirst() }
  }

  /// Reads a frame of either protocol.
  ///
  /// - Parameter isInnermost: True for the frame of a thread that isn't a call. The addresses of App Center's other frames are
  ///   return addresses.
  private func frame(_ value: RawJSON, isInnermost: Bool) -> Frame {
    var frame = Frame()
    let code = Self.text(value.member("code"))
    frame.address = Self.number(Self.text(value.member("address"), limit: 32))
    frame.function = [value.member("className"), value.member("methodName")].map { Self.text($0) }
      .filter { !$0.isEmpty }.joined(separator: ".")
    frame.file = Self.text(value.member("fileName"))
    frame.line = max(value.member("lineNumber").flatMap { Int(Self.text($0, limit: 20)) } ?? 0, 0)
    frame.text = code
    if let place = Place(code) {
      (frame.image, frame.offset, frame.buildID) = (place.image, place.offset, place.buildID ?? "")
    } else if let address = frame.address, let image = image(at: address) {
      (frame.image, frame.buildID) = (image.name, image.buildID)
      frame.offset = address - image.start
      frame.isReturnAddress = !isInnermost
    }
    return frame
  }

  private static func number(_ text: some StringProtocol) -> UInt64? {
    text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  private func image(at address: UInt64) -> Image? {
    images.first { $0.start <= address && address <= $0.end ?? 0 }
  }

  // MARK: The sections of a caught crash

  /// The parts of `image(+0xoffset) [build identifier]`; the last may be missing.
  private struct Place {
    var image: String
    var offset: UInt64
    var buildID: String?

    init?(_ text: String) { self.init(text[...]) }

    init?(_ text: Substring) {
      guard let open = text.firstRange(of: "(+0x"), let close = text[open.upperBound...].firstIndex(of: ")"),
        let offset = UInt64(text[open.upperBound..<close], radix: 16)
      else { return nil }
      image = String(text[..<open.lowerBound])
      self.offset = offset
      let rest = text[close...].dropFirst()
      guard rest.hasPrefix(" ["), rest.hasSuffix("]") else {
        guard rest.isEmpty else { return nil }
        return
      }
      buildID = BuildIdentifier.normalized(rest.dropFirst(2).dropLast()) ?? ""
    }
  }

  /// Reads the text that caught crashes have beside the frames (docs/protocols.md).
  private mutating func readSections(_ trace: String) {
    enum Section { case head, registers, images, thread }
    var section = Section.head
    for line in trace.split(separator: "\n") {
      guard line.hasPrefix("  ") else {
        if line == "Registers:" {
          section = .registers
        } else if line == "Images:" {
          section = .images
        } else if line == Self.incompleteMark, section == .head {
          isIncomplete = true
        } else if line.hasPrefix("Thread: "), section == .head {
          threads[0].name = "Thread \(line.dropFirst("Thread: ".count))".prefix(utf8Bytes: Self.maximumTextBytes)
          threads[0].isCrashed = true
        } else if line.hasPrefix("Thread "), line.hasSuffix(":"), threads.count < Self.maximumThreads {
          section = .thread
          threads.append(Thread(name: String(line.dropLast()).prefix(utf8Bytes: Self.maximumTextBytes)))
        }
        continue
      }
      let parts = line.dropFirst(2).split(separator: " ", maxSplits: 2)
      switch section {
      case .registers where parts.count == 2 && registers.count < Self.maximumRegisters:
        registers.append(Register(name: String(parts[0]), value: String(parts[1])))
      case .images where parts.count >= 2 && images.count < Self.maximumImages:
        let id = parts.count > 2 ? BuildIdentifier.normalized(parts[2].drop { $0 == "[" }.prefix { $0 != "]" }) : nil
        guard let start = Self.number(parts[0]) else { continue }
        images.append(Image(name: String(parts[1]), buildID: id ?? "", start: start))
      case .thread where parts.count == 2 && frameCount < Self.maximumFrames:
        threads[threads.count - 1].frames.append(frame(address: parts[0], place: parts[1]))
      default: break
      }
    }
  }

  /// A frame of another thread, which doesn't repeat the build identifier of its image.
  private func frame(address: Substring, place text: Substring) -> Frame {
    var frame = Frame()
    frame.address = Self.number(address)
    frame.text = String(text).prefix(utf8Bytes: Self.maximumTextBytes)
    guard let place = Place(text) else { return frame }
    frame.image = place.image
    frame.offset = place.offset
    // Several images may have the name: the right one begins before the address, and last of those.
    let image = images.filter { $0.name == frame.image && $0.start <= frame.address ?? 0 }.max { $0.start < $1.start }
    frame.buildID = image?.buildID ?? ""
    return frame
  }

  // MARK: Apple's crash logs

  private mutating func readImages(_ binaries: RawJSON?) {
    binaries?.forEachElement(atMost: Self.maximumImages) { binary in
      guard let start = Self.number(Self.text(binary.member("startAddress"), limit: 32)),
        let end = Self.number(Self.text(binary.member("endAddress"), limit: 32)), start <= end
      else { return }
      images.append(
        Image(
          name: Self.text(binary.member("name")),
          buildID: BuildIdentifier.normalized(Self.text(binary.member("id"))) ?? "",
          start: start, end: end))
    }
  }

  /// Returns true if a thread of an App Center log crashed: the one with the number in the log, or without a number the one
  /// with an exception.
  static func isCrashed(_ thread: RawJSON, in log: RawJSON) -> Bool {
    let crashed = text(log.member("errorThreadId"), limit: 20)
    guard crashed.isEmpty else { return text(thread.member("id"), limit: 20) == crashed }
    return thread.member("exception")?.isObject == true
  }

  /// Reads the threads of a log, the crashed one first.
  private mutating func readThreads(of log: RawJSON) {
    let hasException = !threads.isEmpty
    var others: [Thread] = []
    log.member("threads")?.forEachElement(atMost: Self.maximumThreads) { value in
      let id = Self.text(value.member("id"), limit: 20)
      let name = ["Thread", id, Self.text(value.member("name"))].filter { !$0.isEmpty }.joined(separator: " ")
      var thread = Thread(name: name, isCrashed: Self.isCrashed(value, in: log))
      let room = max(Self.maximumFrames - frameCount - others.reduce(0) { $0 + $1.frames.count }, 0)
      value.member("frames")?.forEachElement(atMost: room) { value in
        thread.frames.append(frame(value, isInnermost: thread.frames.isEmpty))
      }
      if thread.isCrashed { threads.append(thread) } else { others.append(thread) }
    }
    isThreadUnknown = !hasException && threads.isEmpty && others.contains { !$0.frames.isEmpty }
    threads += others
    log.member("registers")?.forEachMember { name, value in
      guard registers.count < Self.maximumRegisters else { return }
      registers.append(Register(name: Ingest.text(name, limit: 32), value: Self.text(value, limit: 64)))
    }
  }
}
