import TernEvents

/// An exception of another system. It is stored in the form of the native protocol, so that signatures, symbols and pages need to
/// know no other.
struct ClientException {
  static let maximumCauses = 8
  static let maximumImages = 512
  private static let maximumFrames = 512
  private static let maximumTextBytes = 1_024

  struct Frame {
    var function = ""
    var file = ""
    var line: Int?
    var address = ""
  }

  private struct Image {
    var id: String
    var start: UInt64
    var end: UInt64
    var name: String
  }

  var type: String
  var message: String
  /// The innermost call first.
  var frames: [Frame] = []
  /// The calls as text, where they come as such.
  var trace = ""
  /// The causes, the nearest first.
  var causes: [ClientException] = []
  /// The text by which the app puts its errors into groups; empty if it leaves that to the server.
  var fingerprint = ""
  private var images: [Image] = []

  init(type: String, message: String) { (self.type, self.message) = (type, message) }

  /// Creates the exception that was raised from itself and its causes, the nearest first.
  init(chain: [ClientException]) {
    self = chain.first ?? ClientException(type: "", message: "")
    causes = Array(chain.dropFirst())
  }

  /// Adds calls with the members that several systems share, the outermost first.
  mutating func addFrames(_ list: RawJSON?) {
    var added: [Frame] = []
    list?.forEachElement(atMost: 4_096) { json in
      let members = json.members("function", "module", "abs_path", "filename", "lineno", "raw_function")
      func text(_ index: Int) -> String { members[index]?.lenientText(limit: Self.maximumTextBytes) ?? "" }
      var frame = Frame(function: text(0).isEmpty ? text(5) : text(0), file: text(3).isEmpty ? text(2) : text(3))
      // The name of a module that is a file's says nothing more.
      if !text(1).isEmpty, !text(3).hasPrefix(text(1)), !frame.function.isEmpty {
        frame.function = "\(text(1)).\(frame.function)"
      }
      frame.line = members[4]?.integer
      frame.address = json.member("instruction_addr")?.lenientText(limit: 32) ?? ""
      added.append(frame)
    }
    // The innermost calls matter most.
    frames += added.reversed().prefix(Self.maximumFrames - frames.count)
  }

  /// Adds the loaded programs and libraries that can be told by an identifier and addresses.
  mutating func addImages(_ list: RawJSON?) {
    list?.forEachElement(atMost: Self.maximumImages) { json in
      let members = json.members("code_id", "debug_id", "image_addr", "image_size", "code_file")
      guard let id = BuildIdentifier.normalized((members[0] ?? members[1])?.lenientText(limit: 128) ?? ""),
        let start = Self.address(members[2]), let size = Self.address(members[3]), size > 0
      else { return }
      let path = members[4]?.lenientText(limit: Self.maximumTextBytes) ?? ""
      images.append(
        Image(
          id: id, start: start, end: start.addingReportingOverflow(size - 1).partialValue,
          name: path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? "?"))
    }
  }

  private static func address(_ value: RawJSON?) -> UInt64? {
    let text = value?.lenientText(limit: 32) ?? ""
    return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  /// Returns the error of an event whose position is set later.
  func incoming(id: String) -> IncomingError {
    let raw = encoded
    return raw.withUnsafeBytes { bytes in
      ErrorReading(log: RawJSON(bytes)).error(event: 0, id: errorID(id), fallback: "Error", raw: bytes)
    }
  }

  /// The error as an object of the native protocol.
  private var encoded: [UInt8] {
    var json = JSONWriter(capacity: 4 << 10)
    json.raw("{\"binaries\":[")
    for (index, image) in images.enumerated() {
      json.raw(index == 0 ? "{\"id\":" : ",{\"id\":")
      json.string(image.id)
      json.raw(",\"name\":")
      json.string(image.name)
      json.raw(",\"startAddress\":")
      json.string("0x" + String(image.start, radix: 16))
      json.raw(",\"endAddress\":")
      json.string("0x" + String(image.end, radix: 16))
      json.raw("}")
    }
    json.raw("],\"exception\":")
    let chain = [self] + causes.prefix(Self.maximumCauses - 1)
    for (index, exception) in chain.enumerated() {
      if index > 0 { json.raw(",\"innerExceptions\":[") }
      exception.write(to: &json)
    }
    for _ in chain.dropFirst() { json.raw("}]") }
    json.raw("}}")
    return json.bytes
  }

  /// Writes the exception without its end, which follows its causes.
  private func write(to json: inout JSONWriter) {
    json.raw("{\"type\":")
    json.string(type)
    json.raw(",\"message\":")
    json.string(message)
    if !fingerprint.isEmpty {
      json.raw(",\"fingerprint\":")
      json.string(fingerprint)
    }
    if !trace.isEmpty {
      json.raw(",\"stackTrace\":")
      json.string(trace)
    }
    json.raw(",\"frames\":[")
    for (index, frame) in frames.enumerated() {
      json.raw(index == 0 ? "{\"methodName\":" : ",{\"methodName\":")
      json.string(frame.function)
      json.raw(",\"fileName\":")
      json.string(frame.file)
      if let line = frame.line {
        json.raw(",\"lineNumber\":")
        json.integer(Int64(line))
      }
      if !frame.address.isEmpty {
        json.raw(",\"address\":")
        json.string(frame.address)
      }
      json.raw("}")
    }
    json.raw("]")
  }
}
