import TernBase

/// Formats stacks as text, and finds the frame by which lists name an error.
struct StackText {
  /// The binaries of a crash report with their addresses. They give a frame the same text on every device.
  struct Image {
    var name: String
    /// Empty if unknown.
    var buildID = ""
    var addresses: ClosedRange<UInt64>
  }

  private static let maximumFrames = 512
  private static let maximumPieceBytes = 1_024
  private static let pieceNames: [StaticString] = [
    "className", "methodName", "fileName", "lineNumber", "address", "code",
  ]

  private(set) var text = ""
  /// The top frame, for lists; empty if there is none.
  private(set) var place = ""
  var images: [Image] = []

  var isFull: Bool { text.utf8.count >= IncomingError.maximumStackBytes }

  mutating func append(line: String) {
    let room = IncomingError.maximumStackBytes - text.utf8.count - 1
    guard room > 0 else { return }
    var line = line
    text += line.withUTF8 { Ingest.text(UnsafeRawBufferPointer($0), limit: room) }
    text += "\n"
  }

  /// Appends text of several lines, such as a stack formatted by a client.
  mutating func append(lines: String, type: String) {
    append(line: lines)
    guard place.isEmpty else { return }
    for line in lines.split(whereSeparator: \.isNewline) where place.isEmpty {
      let frame = line.drop(while: \.isWhitespace)
      // On many platforms, the first line repeats `type` and `message`.
      guard !frame.isEmpty, type.isEmpty || !frame.hasPrefix(type) else { continue }
      note(frame.prefix(utf8Bytes: 200))
    }
  }

  mutating func append(frames: RawJSON?) {
    frames?.forEachElement(atMost: Self.maximumFrames) { frame in
      guard !isFull, frame.isObject else { return }
      append(frame: frame)
    }
  }

  private mutating func append(frame: RawJSON) {
    var pieces = [String](repeating: "", count: Self.pieceNames.count)
    frame.forEachMember { name, value in
      guard let piece = Self.pieceNames.firstIndex(where: { RawJSON.spells(name, $0) }) else { return }
      pieces[piece] = value.lenientText(limit: Self.maximumPieceBytes)
    }
    let (className, method, file) = (pieces[0], pieces[1], pieces[2])
    let (line, address, code) = (pieces[3], pieces[4], pieces[5])
    let place = [className, method].filter { !$0.isEmpty }.joined(separator: ".")
    if place.isEmpty, file.isEmpty {
      append(address: address, code: code)
    } else {
      let source = line.isEmpty ? file : "\(file):\(line)"
      append(line: "  at " + place + (source.isEmpty ? "" : place.isEmpty ? source : " (\(source))"))
      let shown = place.isEmpty ? file : file.isEmpty ? place : "\(place) (\(file))"
      note(shown)
    }
  }

  private mutating func append(address: String, code: String) {
    let number = address.hasPrefix("0x") ? UInt64(address.dropFirst(2), radix: 16) : UInt64(address)
    if let number, let image = images.first(where: { $0.addresses.contains(number) }) {
      let offset = "0x" + String(number - image.addresses.lowerBound, radix: 16)
      let build = image.buildID.isEmpty ? "" : " [\(image.buildID)]"
      append(line: "  \(image.name) + \(offset)\(build)" + (code.isEmpty ? "" : "  \(code)"))
      note("\(image.name) + \(offset)")
    } else {
      append(line: "  " + [address, code].filter { !$0.isEmpty }.joined(separator: "  "))
      note(code.isEmpty ? address : code)
    }
  }

  private mutating func note(_ frame: String) {
    if place.isEmpty { place = frame }
  }
}
