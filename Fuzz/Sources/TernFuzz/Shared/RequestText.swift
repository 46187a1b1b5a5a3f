/// An input with headers in front of its body: lines such as `!User-Agent: text`.
struct RequestText {
  let body: UnsafeRawBufferPointer
  private(set) var headers: [String: String] = [:]

  init(_ input: UnsafeRawBufferPointer) {
    var rest = input[...]
    while rest.first == UInt8(ascii: "!") {
      let line = rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        // As servers read it: without the spaces around it.
        let value = String(decoding: parts[1], as: UTF8.self)
        headers[String(decoding: parts[0], as: UTF8.self)] = String(value.drop { $0 == " " })
      }
      rest = rest[line.endIndex...].dropFirst()
    }
    body = UnsafeRawBufferPointer(rebasing: rest)
  }

  func header(_ name: String) -> String? { headers[name] }
}
