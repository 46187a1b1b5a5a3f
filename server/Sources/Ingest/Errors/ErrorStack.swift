/// The calls of an error's threads, with the registers and images of a crash.
///
/// It is decoded from what is stored when someone looks at an error, so that symbols that arrive later apply as well. All
/// texts come from the client unchecked.
package struct ErrorStack: Sendable, Hashable {
  /// A call.
  package struct Frame: Sendable, Hashable {
    /// The frame as sent, if nothing else is known about it.
    package var text = ""
    /// The name of the executable or library; empty if unknown.
    package var image = ""
    /// The build identifier of the image in lowercase hexadecimal digits without dashes; empty if unknown.
    package var buildID = ""
    /// The position in the image: the address in an ELF file, or the distance from a Mach-O file's text segment.
    package var offset: UInt64?
    /// The address in the process; `nil` if unknown.
    package var address: UInt64?
    /// True if the position is after the call, as return addresses are.
    package var isReturnAddress = false
    /// The function with its class, demangled; empty if unknown.
    package var function = ""
    /// The path or name of the source file; empty if unknown.
    package var file = ""
    /// The line in the file; 0 if unknown.
    package var line = 0
    /// True if the compiler inlined the call into the next frame, so that both have one position.
    package var isInlined = false
    /// True if the function was found in symbols of the image.
    package var hasSymbols = false

    /// Creates a frame about which nothing is known.
    package init() {}
  }

  /// A thread, or an exception that caused another.
  package struct Thread: Sendable, Hashable {
    /// Its number and name, or the type and message of the exception.
    package var name: String
    /// True if it crashed, or threw the error.
    package var isCrashed: Bool
    /// True if it is no thread, but an exception that caused the one before it.
    package var isCause = false
    /// Its calls, the innermost first.
    package var frames: [Frame]

    /// Creates a thread.
    package init(name: String, isCrashed: Bool = false, frames: [Frame] = []) {
      (self.name, self.isCrashed, self.frames) = (name, isCrashed, frames)
    }
  }

  /// A register of the crashed thread.
  package struct Register: Sendable, Hashable {
    /// The processor's name of it.
    package var name: String
    /// The value as sent.
    package var value: String
  }

  /// A loaded executable or library.
  package struct Image: Sendable, Hashable {
    /// The name of its file.
    package var name: String
    /// The build identifier in lowercase hexadecimal digits without dashes; empty if unknown.
    package var buildID: String
    /// The first address in the process.
    package var start: UInt64
    /// The last address in the process; `nil` if unknown.
    package var end: UInt64?
    /// True if there are symbols of it.
    package var hasSymbols = false
  }

  /// The threads; the one that crashed or threw the error is first.
  package var threads: [Thread] = []
  /// The registers of the crashed thread.
  package var registers: [Register] = []
  /// The last steps of the app before it, oldest first.
  package var steps: [Step] = []
  /// True if the client could not write all of the report.
  package var isIncomplete = false
  /// The images, at least those of the frames.
  package var images: [Image] = []

  /// The app's version and build, for which a mapping may have the names; empty if unknown.
  package var appBuild = ""
  /// The type of the exception; empty if unknown.
  package var type = ""

  /// True if it is a crash whose report doesn't say which of the threads crashed.
  package var isThreadUnknown = false

  /// The line of text that says so.
  package static let unknownThread = "The report doesn't say which thread crashed."

  /// The line by which a client says that a report is incomplete.
  static let incompleteMark = "The report is incomplete."
  /// The sentence about a report that is incomplete.
  package static let incompleteReport =
    "The device had no room for the whole report, or the process was killed while it was written: calls may be missing."

  /// Creates an empty stack.
  package init() {}

  /// True if symbols were found for a frame.
  package var hasSymbols: Bool { threads.contains { $0.frames.contains(where: \.hasSymbols) } }
}

extension ErrorStack {
  /// The stack as lines of text, as for terminals.
  package var lines: [String] {
    (isThreadUnknown ? [Self.unknownThread] : []) + (isIncomplete ? [Self.incompleteReport] : [])
      + threads.enumerated().flatMap { number, thread in
        (number == 0 && thread.name.isEmpty ? [] : ["\(thread.name)\(thread.isCrashed ? " (crashed)" : ""):"])
          + thread.frames.map { "  \($0.shownText)" }
      }
  }
}

extension ErrorStack.Frame {
  /// The place in the source, such as `Player.swift:12`; empty if unknown.
  package var source: String { file.isEmpty || line == 0 ? file : "\(file):\(line)" }

  /// The frame as a line: `play(_:) (Player.swift:12) in app`, `app + 0x1c`, or as it was sent.
  package var shownText: String {
    guard !function.isEmpty || !file.isEmpty else {
      guard let offset, !image.isEmpty else { return text.isEmpty ? address.map(Self.hexadecimal) ?? "?" : text }
      return "\(image) + \(Self.hexadecimal(offset))"
    }
    // Symbols may know the line and not the name.
    let name = function.isEmpty && hasSymbols ? "?" : function
    let place = name.isEmpty ? source : source.isEmpty ? name : "\(name) (\(source))"
    return place + (image.isEmpty ? "" : " in \(image)") + (isInlined ? " [inlined]" : "")
  }

  private static func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
}
