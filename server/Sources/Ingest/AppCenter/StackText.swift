/// Writes stacks as text, and notes what tells faults apart.
struct StackText {
  /// The binaries of a crash report by their addresses: with them a frame has the same text on every device.
  struct Image {
    var name: String
    var addresses: ClosedRange<UInt64>
  }

  private static let maximumFrames = 512
  private static let maximumPieceBytes = 1_024
  /// How many frames decide whether two errors are the same fault.
  private static let tellingFrames = 3

  private(set) var text = ""
  /// The frames at the top, without lines and addresses.
  private(set) var top: [String] = []
  /// The frame at the very top as people read it; empty when there is none.
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

  /// Appends a text of several lines, such as a stack that a client wrote itself.
  mutating func append(lines: String, type: String) {
    append(line: lines)
    guard top.isEmpty else { return }
    for line in lines.split(whereSeparator: \.isNewline) where top.count < Self.tellingFrames {
      let frame = line.drop(while: \.isWhitespace)
      // Many platforms begin with what stands in `type` and `message` already.
      guard !frame.isEmpty, type.isEmpty || !frame.hasPrefix(type) else { continue }
      let shown = String(frame.prefix(200))
      if top.isEmpty { place = shown }
      top.append(withoutNumbers(shown))
    }
  }

  mutating func append(frames: RawJSON?) {
    frames?.forEachElement(atMost: Self.maximumFrames) { frame in
      guard !isFull, frame.isObject else { return }
      append(frame: frame)
    }
  }

  private mutating func append(frame: RawJSON) {
    var (className, method, file, line, address, code) = ("", "", "", "", "", "")
    frame.forEachMember { name, value in
      let text = value.lenientText(limit: Self.maximumPieceBytes)
      if RawJSON.spells(name, "className") {
        className = text
      } else if RawJSON.spells(name, "methodName") {
        method = text
      } else if RawJSON.spells(name, "fileName") {
        file = text
      } else if RawJSON.spells(name, "lineNumber") {
        line = text
      } else if RawJSON.spells(name, "address") {
        address = text
      } else if RawJSON.spells(name, "code") {
        code = text
      }
    }
    let place = [className, method].filter { !$0.isEmpty }.joined(separator: ".")
    if place.isEmpty, file.isEmpty {
      append(address: address, code: code)
    } else {
      let source = line.isEmpty ? file : "\(file):\(line)"
      append(line: "  at " + place + (source.isEmpty ? "" : place.isEmpty ? source : " (\(source))"))
      note(place.isEmpty ? file : file.isEmpty ? place : "\(place) (\(file))")
    }
  }

  private mutating func append(address: String, code: String) {
    let number = address.hasPrefix("0x") ? UInt64(address.dropFirst(2), radix: 16) : UInt64(address)
    if let number, let image = images.first(where: { $0.addresses.contains(number) }) {
      let offset = "0x" + String(number - image.addresses.lowerBound, radix: 16)
      append(line: "  \(image.name) + \(offset)" + (code.isEmpty ? "" : "  \(code)"))
      note("\(image.name) + \(offset)")
    } else {
      append(line: "  " + [address, code].filter { !$0.isEmpty }.joined(separator: "  "))
      // Where the image was loaded differs from launch to launch; how far into it the code stands does not.
      note(code.split(separator: "+").dropFirst().first.map { "+\($0)" } ?? (code.isEmpty ? address : code))
    }
  }

  private mutating func note(_ frame: String) {
    guard top.count < Self.tellingFrames, !frame.isEmpty else { return }
    if top.isEmpty { place = frame }
    top.append(frame)
  }
}

/// The text with each number replaced by `#`: what is left of a message or line that differs every time.
///
/// Hexadecimal ones are replaced whole, as addresses are; one behind `+` stays, since how far into an image the code
/// stands does not differ from launch to launch, and is all that a frame without a symbol says.
func withoutNumbers(_ text: String) -> String {
  var result = ""
  var rest = text[...]
  while let character = rest.first {
    guard character.isASCII, character.isNumber else {
      result.append(character)
      rest.removeFirst()
      continue
    }
    if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
      let digits = rest.dropFirst(2).prefix { $0.isASCII && $0.isHexDigit }
      rest = rest.dropFirst(2 + digits.count)
      guard result.last != "+" else {
        result += "0x\(digits)"
        continue
      }
    } else {
      rest = rest.drop { $0.isASCII && $0.isNumber }
    }
    result.append("#")
  }
  return result
}
