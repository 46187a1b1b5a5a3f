package import TernEvents

extension CaughtCrash {
  /// The most bytes of ``exception``'s text besides the frames, so that an event has room for both.
  private static let maximumTextBytes = 20 << 10

  /// The crash as an exception: its signal, its message, the frames of the crashed thread, and as text everything else.
  ///
  /// The forms of frames and text are part of the protocol (docs/protocols.md).
  package var exception: ExceptionFacts {
    ExceptionFacts(
      type: signalName.isEmpty ? "Signal \(signal)" : signalName, message: message ?? reason, stackTrace: details,
      frames: (threads.first?.frames ?? []).map { address in
        .init(address: Self.hexadecimal(address), code: place(of: address, isIdentified: true))
      })
  }

  /// The report of a hang as an exception, with its duration; `nil` means until the end of the process.
  package func hangException(lasting duration: Duration?) -> ExceptionFacts {
    var facts = exception
    facts.type = ExceptionFacts.hangType
    facts.message = ExceptionFacts.hangMessage(seconds: duration.map { $0 / .seconds(1) })
    return facts
  }

  /// A message for a crash without one.
  private var reason: String {
    let text = "\(signalName.isEmpty ? "Signal" : signalName) (\(signal)), code \(code)"
    return code > 0 ? "\(text), address \(Self.hexadecimal(address))" : text
  }

  /// Returns `image(+0xoffset) [build identifier]`, where the offset is the address in the image's file.
  private func place(of address: UInt64, isIdentified: Bool) -> String {
    guard let image = image(at: address) else { return "?" }
    let place = "\(image.shownName)(+\(Self.hexadecimal(address &- image.bias)))"
    return isIdentified ? "\(place) [\(image.buildID ?? "")]" : place
  }

  /// Sections of lines: registers, images with frames, other threads. Threads that don't fit are left out.
  private var details: String {
    var text = "Process: \(process)\nThread: \(threads.first.map { "\($0.number) \($0.name)" } ?? "")\n"
    if !isComplete { text += "The report is incomplete.\n" }
    text += "Registers:\n" + registers.map { "  \($0.name) \(Self.hexadecimal($0.value))\n" }.joined()
    let addresses = threads.flatMap(\.frames)
    let used = images.filter { image in addresses.contains { image.code.contains($0) } }
    text += "Images:\n"
    for image in used.prefix(64) {
      text += "  \(Self.hexadecimal(image.code.lowerBound)) \(image.shownName) [\(image.buildID ?? "")]\n"
    }
    for thread in threads.dropFirst() {
      var section = "Thread \(thread.number) \(thread.name):\n"
      for address in thread.frames {
        section += "  \(Self.hexadecimal(address)) \(place(of: address, isIdentified: false))\n"
      }
      if text.utf8.count + section.utf8.count <= Self.maximumTextBytes { text += section }
    }
    return text
  }

  private static func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
}

extension ExceptionFacts {
  /// The type of hangs of the main thread.
  package static let hangType = "Hang"

  /// The message of a hang with its duration; `nil` means until the end of the process.
  package static func hangMessage(seconds: Double?) -> String {
    let time = seconds.map { "for \(($0 * 10).rounded() / 10) s" } ?? "until the process ended"
    return "The main thread did not respond \(time)."
  }
}

extension CaughtCrash.Image {
  /// The name without the characters that separate the parts of a frame.
  fileprivate var shownName: String {
    String(name.map { $0.isWhitespace || "()[]+".contains($0) ? "_" : $0 })
  }
}
