/// The operating system and device model in a User-Agent header.
struct UserAgent: Equatable {
  var osName = ""
  var osVersion = ""
  var model = ""

  init(_ header: String) {
    var header = header
    header.withUTF8 { read(UnsafeRawBufferPointer($0)) }
  }

  private mutating func read(_ header: UnsafeRawBufferPointer) {
    guard !header.isEmpty else { return }
    if let version = Self.version(after: "Android ", in: header) {
      osName = "Android"
      osVersion = version
      model = Self.androidModel(header)
    } else if let device = Self.appleDevice(header) {
      model = device
      osName = "iOS"
      osVersion = Self.version(after: " OS ", in: header) ?? ""
    } else if let version = Self.version(after: "Mac OS X ", in: header) {
      osName = "macOS"
      osVersion = version
    } else if let version = Self.version(after: "Windows NT ", in: header) {
      osName = "Windows"
      osVersion = version
    } else if Self.end(of: "Linux", in: header) != nil {
      osName = "Linux"
    }
  }

  private static func appleDevice(_ header: UnsafeRawBufferPointer) -> String? {
    if end(of: "iPhone", in: header) != nil { return "iPhone" }
    if end(of: "iPad", in: header) != nil { return "iPad" }
    return end(of: "iPod", in: header) == nil ? nil : "iPod"
  }

  /// Returns the digits, dots and underscores after a prefix, with underscores replaced by dots, or `nil` if the prefix
  /// is missing.
  private static func version(after mark: StaticString, in header: UnsafeRawBufferPointer) -> String? {
    guard let start = end(of: mark, in: header) else { return nil }
    let point = UInt8(ascii: ".")
    let digits = header[start...].prefix(16)
      .map { $0 == UInt8(ascii: "_") ? point : $0 }
      .prefix { $0 == point || $0 &- UInt8(ascii: "0") < 10 }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the text between the last semicolon before `Build/` and `Build/`.
  private static func androidModel(_ header: UnsafeRawBufferPointer) -> String {
    guard let end = end(of: " Build/", in: header) else { return "" }
    let before = header[..<(end - 7)]
    let start = before.lastIndex(of: UInt8(ascii: ";")).map { $0 + 1 } ?? 0
    return text(UnsafeRawBufferPointer(rebasing: before[start...].drop { $0 == UInt8(ascii: " ") }), limit: 64)
  }

  private static func end(of mark: StaticString, in header: UnsafeRawBufferPointer) -> Int? {
    let length = mark.utf8CodeUnitCount
    guard header.count >= length else { return nil }
    for start in 0...(header.count - length) where header[start] == mark.utf8Start[0] {
      if equals(UnsafeRawBufferPointer(rebasing: header[start..<(start + length)]), mark) { return start + length }
    }
    return nil
  }
}
