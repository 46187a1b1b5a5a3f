import TernBase

/// Formats stacks as text and collects the frames for grouping errors.
struct StackText {
  /// The binaries of a crash report with their addresses. They give a frame the same text on every device.
  struct Image {
    var name: String
    var addresses: ClosedRange<UInt64>
  }

  private static let maximumFrames = 512
  private static let maximumPieceBytes = 1_024
  private static let pieceNames: [StaticString] = [
    "className", "methodName", "fileName", "lineNumber", "address", "code",
  ]

  private(set) var text = ""
  /// The top frames, for grouping.
  private(set) var top: [ErrorFingerprint.Frame] = []
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
    guard top.isEmpty else { return }
    for line in lines.split(whereSeparator: \.isNewline) where top.count < ErrorFingerprint.maximumFrames {
      let frame = line.drop(while: \.isWhitespace)
      // On many platforms, the first line repeats `type` and `message`.
      guard !frame.isEmpty, type.isEmpty || !frame.hasPrefix(type) else { continue }
      note(symbol: frame.prefix(utf8Bytes: 200))
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
      let stable =
        method.isEmpty ? shown : String(shown.replacing(method, with: withoutOffset(method), maxReplacements: 1))
      note(ErrorFingerprint.Frame(text: stable, isStructured: true), shown: shown)
    }
  }

  /// Returns a method's name without the offset that some symbolicators append: `main + 52`.
  private func withoutOffset(_ method: String) -> Substring {
    guard let plus = method.lastIndex(of: "+"), plus > method.startIndex, method[..<plus].hasSuffix(" "),
      method[plus...].hasPrefix("+ "), method[plus...].dropFirst(2).allSatisfy({ $0.isHexDigit || $0 == "x" })
    else { return method[...] }
    return method[..<plus].dropLast()
  }

  private mutating func append(address: String, code: String) {
    let number = address.hasPrefix("0x") ? UInt64(address.dropFirst(2), radix: 16) : UInt64(address)
    if let number, let image = images.first(where: { $0.addresses.contains(number) }) {
      let offset = "0x" + String(number - image.addresses.lowerBound, radix: 16)
      append(line: "  \(image.name) + \(offset)" + (code.isEmpty ? "" : "  \(code)"))
      note(ErrorFingerprint.Frame(text: image.name, offset: offset), shown: "\(image.name) + \(offset)")
    } else {
      append(line: "  " + [address, code].filter { !$0.isEmpty }.joined(separator: "  "))
      note(symbol: code.isEmpty ? address : code)
    }
  }

  /// Adds a frame in the system's format, for example `app(play+0x1c) [0x7f00]` or `3 App 0x1000 play + 28`.
  private mutating func note(symbol: String) {
    let stable = withoutNumbers(symbol)
    // A frame without a symbol has the offset in its image: `app(+0x9e72)`, `3 App 0x1000 App + 40562`.
    let columns = stable.split(separator: " ")
    let isPlain = columns.count > 4 && columns[1] == columns[3]
    let namesFunction = !isPlain && !stable.contains("(+") && stable.contains(where: \.isLetter)
    let offset = symbol.split(separator: "+").dropFirst().last.map { String($0.prefix { $0 != ")" && $0 != "]" }) }
    note(
      ErrorFingerprint.Frame(text: stable, offset: namesFunction ? "" : offset ?? ""), shown: symbol)
  }

  private mutating func note(_ frame: ErrorFingerprint.Frame, shown: String) {
    guard top.count < ErrorFingerprint.maximumFrames, !shown.isEmpty else { return }
    if top.isEmpty { place = shown }
    top.append(frame)
  }
}
