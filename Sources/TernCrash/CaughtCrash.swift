package import TernEvents

/// A crash as the signal handler has written it (docs/crashes.md).
package struct CaughtCrash: Sendable, Hashable {
  /// A loaded executable or library.
  package struct Image: Sendable, Hashable {
    /// The name of its file, without the directory.
    package var name: String
    /// Its GNU build identifier in hexadecimal digits; `nil` if it was linked without one.
    package var buildID: String?
    /// The addresses of its code.
    package var code: Range<UInt64>
    /// The difference between addresses in memory and in the file.
    package var bias: UInt64
  }

  /// A thread and the addresses of its calls, the innermost first.
  package struct Thread: Sendable, Hashable {
    package var number: Int64
    package var name: String
    package var frames: [UInt64]
  }

  /// A step of the app.
  package struct Step: Sendable, Hashable {
    package var time: Timestamp
    package var text: String
  }

  /// A register of the crashed thread.
  package struct Register: Sendable, Hashable {
    package var name: String
    package var value: UInt64
  }

  /// The identifier of the report and of its event.
  package var id: UniqueID
  /// The time of the crash, by the device's wall clock.
  package var time: Timestamp
  /// The time from the start of catching to the crash.
  package var uptime: Duration
  package var process: Int64 = 0
  /// The number and the name of the signal.
  package var signal: Int64
  package var signalName: String
  /// The signal's code (`si_code`), and the address that the processor could not access.
  package var code: Int64 = 0
  package var address: UInt64 = 0
  /// The last message of the Swift runtime or the C library.
  package var message: String?
  /// The context that the client had set: see `CrashCatcher`.
  package var context: [UInt8] = []
  /// The last steps of the app, oldest first.
  package var steps: [Step] = []
  /// The threads; the first one crashed.
  package var threads: [Thread] = []
  package var registers: [Register] = []
  package var images: [Image] = []
  /// False if the handler itself crashed or the disk was full, so that the report ends early.
  package var isComplete = false
}

extension CaughtCrash {
  /// The most bytes that are read of a report; the handler writes at most as many.
  package static let maximumBytes = 512 << 10

  private static let maximumSteps = 32
  private static let maximumThreads = 128
  private static let maximumFrames = 128
  private static let maximumRegisters = 64
  private static let maximumImages = 512
  private static let maximumTextBytes = 4 << 10

  /// Decodes a report; returns `nil` if it has no identifier, time or signal.
  ///
  /// The bytes may be anything: lines that can't be decoded are left out, and so is everything beyond the limits.
  package init?(bytes: [UInt8]) {
    var lines = bytes.prefix(Self.maximumBytes).split(separator: UInt8(ascii: "\n"))[...]
    guard lines.popFirst().map({ Array($0) == Array("tern-crash 1".utf8) }) == true else { return nil }
    var id: UniqueID?
    var time: Int64?
    var signal: [Substring]?
    self.init(
      id: UniqueID(high: 0, low: 0), time: Timestamp(millisecondsSince1970: 0), uptime: .zero, signal: 0, signalName: ""
    )
    for line in lines {
      let name = line.prefix { $0 != UInt8(ascii: " ") }
      let rest = line.dropFirst(name.count + 1)
      if name.elementsEqual("context".utf8) {
        context = Array(rest)
        continue
      }
      let text = String(decoding: rest.prefix(Self.maximumTextBytes), as: UTF8.self)
      switch String(decoding: name, as: UTF8.self) {
      case "id": id = UniqueID(text)
      case "time": time = Int64(text)
      case "uptime": uptime = .milliseconds(max(Int64(text) ?? 0, 0))
      case "process": process = Int64(text) ?? 0
      case "signal": signal = text.split(separator: " ", maxSplits: 3)
      case "message": message = text
      case "step": if steps.count < Self.maximumSteps, let step = Step(text) { steps.append(step) }
      case "end": isComplete = true
      default: readStack(String(decoding: name, as: UTF8.self), text)
      }
    }
    guard let id, let time, let signal, signal.count == 4, let number = Int64(signal[0]) else { return nil }
    self.id = id
    self.time = Timestamp(millisecondsSince1970: time)
    (self.signal, signalName) = (number, String(signal[1]))
    code = Int64(signal[2]) ?? 0
    address = Self.address(signal[3]) ?? 0
  }

  private mutating func readStack(_ name: String, _ text: String) {
    switch name {
    case "thread":
      let parts = text.split(separator: " ", maxSplits: 1)
      guard threads.count < Self.maximumThreads, let number = parts.first.flatMap({ Int64($0) }) else { return }
      threads.append(Thread(number: number, name: parts.count > 1 ? String(parts[1]) : "", frames: []))
    case "frame":
      guard let last = threads.indices.last, threads[last].frames.count < Self.maximumFrames,
        let address = Self.address(text)
      else { return }
      threads[last].frames.append(address)
    case "register":
      let parts = text.split(separator: " ")
      guard parts.count == 2, registers.count < Self.maximumRegisters, let value = Self.address(parts[1]) else {
        return
      }
      registers.append(Register(name: String(parts[0]), value: value))
    case "image":
      if images.count < Self.maximumImages, let image = Image(text) { images.append(image) }
    default: break
    }
  }

  fileprivate static func address(_ text: some StringProtocol) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }

  /// The image whose code includes an address.
  package func image(at address: UInt64) -> Image? {
    images.first { $0.code.contains(address) }
  }
}

extension CaughtCrash.Step {
  private static let maximumBytes = 100

  /// Decodes `time text`.
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
    self.init(time: Timestamp(millisecondsSince1970: time), text: Self.text(String(parts[1])))
  }

  /// Returns the text of a step within its limit, with spaces in place of control characters.
  static func text(_ text: String) -> String {
    let isControl: (Unicode.Scalar) -> Bool = { $0.properties.generalCategory == .control }
    let short = text.truncated(toBytes: maximumBytes)
    return short.unicodeScalars.contains(where: isControl)
      ? String(String.UnicodeScalarView(short.unicodeScalars.map { isControl($0) ? " " : $0 })) : short
  }
}

extension CaughtCrash.Image {
  /// Decodes `0xlow 0xhigh 0xbias identifier path`.
  fileprivate init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 4)
    guard parts.count == 5, let low = CaughtCrash.address(parts[0]), let high = CaughtCrash.address(parts[1]),
      let bias = CaughtCrash.address(parts[2]), low < high
    else { return nil }
    var path = parts[4]
    // The kernel's mark of a file that was replaced while it ran.
    if path.hasSuffix(" (deleted)") { path = path.dropLast(" (deleted)".count) }
    let isIdentified = !parts[3].isEmpty && parts[3].count <= 64 && parts[3].allSatisfy(\.isHexDigit)
    self.init(
      name: String(path.split(separator: "/").last ?? "?"), buildID: isIdentified ? String(parts[3]) : nil,
      code: low..<high, bias: bias)
  }
}
