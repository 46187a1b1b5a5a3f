/// The calls of an error's threads, with the registers and images of a crash.
///
/// It is decoded from what is stored when someone looks at an error, so that symbols that arrive later apply as well. All
/// texts come from the client unchecked.
public struct ErrorStack: Sendable, Hashable {
  /// A call.
  public struct Frame: Sendable, Hashable {
    /// The frame as sent, for those of which nothing else is known.
    public var text = ""
    /// The name of the executable or library; empty if unknown.
    public var image = ""
    /// The build identifier of the image in lowercase hexadecimal digits without dashes; empty if unknown.
    public var buildID = ""
    /// The position in the image: the address in an ELF file, or the distance from a Mach-O file's text segment.
    public var offset: UInt64?
    /// The address in the process; `nil` if unknown.
    public var address: UInt64?
    /// True if the position is behind the call, as return addresses are.
    public var isReturnAddress = false
    /// The function with its class, demangled; empty if unknown.
    public var function = ""
    /// The path or name of the source file; empty if unknown.
    public var file = ""
    /// The line in the file; 0 if unknown.
    public var line = 0
    /// True if the compiler inlined the call into the next frame, so that both have one position.
    public var isInlined = false
    /// True if the function was found in symbols of the image.
    public var hasSymbols = false

    /// Creates a frame of which nothing is known.
    public init() {}
  }

  /// A thread, or an exception that caused another.
  public struct Thread: Sendable, Hashable {
    /// Its number and name, or the type and message of the exception.
    public var name: String
    /// True if it crashed, or threw the error.
    public var isCrashed: Bool
    /// True if it is no thread, but an exception that caused the one before it.
    public var isCause = false
    /// Its calls, the innermost first.
    public var frames: [Frame]

    /// Creates a thread.
    public init(name: String, isCrashed: Bool = false, frames: [Frame] = []) {
      (self.name, self.isCrashed, self.frames) = (name, isCrashed, frames)
    }
  }

  /// A register of the crashed thread.
  public struct Register: Sendable, Hashable {
    /// The processor's name of it.
    public var name: String
    /// The value as sent.
    public var value: String
  }

  /// A loaded executable or library.
  public struct Image: Sendable, Hashable {
    /// The name of its file.
    public var name: String
    /// The build identifier in lowercase hexadecimal digits without dashes; empty if unknown.
    public var buildID: String
    /// The first address in the process.
    public var start: UInt64
    /// The last address in the process; `nil` if unknown.
    public var end: UInt64?
    /// True if there are symbols of it.
    public var hasSymbols = false
  }

  /// The threads; the one that crashed or threw the error is first.
  public var threads: [Thread] = []
  /// The registers of the crashed thread.
  public var registers: [Register] = []
  /// The images, at least those of the frames.
  public var images: [Image] = []

  /// Creates an empty stack.
  public init() {}

  /// True if symbols were found for a frame.
  public var hasSymbols: Bool { threads.contains { $0.frames.contains(where: \.hasSymbols) } }
}

extension ErrorStack {
  /// The stack as lines of text, as for terminals.
  public var lines: [String] {
    threads.enumerated().flatMap { number, thread in
      (number == 0 && thread.name.isEmpty ? [] : ["\(thread.name)\(thread.isCrashed ? " (crashed)" : ""):"])
        + thread.frames.map { "  \($0.shownText)" }
    }
  }
}

extension ErrorStack.Frame {
  /// The place in the source, such as `Player.swift:12`; empty if unknown.
  public var source: String { file.isEmpty || line == 0 ? file : "\(file):\(line)" }

  /// The frame as a line: `play(_:) (Player.swift:12) in app`, `app + 0x1c`, or as it was sent.
  public var shownText: String {
    guard !function.isEmpty || !file.isEmpty else {
      guard let offset, !image.isEmpty else { return text.isEmpty ? address.map(Self.hexadecimal) ?? "?" : text }
      return "\(image) + \(Self.hexadecimal(offset))"
    }
    let place = function.isEmpty ? source : source.isEmpty ? function : "\(function) (\(source))"
    return place + (image.isEmpty ? "" : " in \(image)") + (isInlined ? " [inlined]" : "")
  }

  private static func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
}
