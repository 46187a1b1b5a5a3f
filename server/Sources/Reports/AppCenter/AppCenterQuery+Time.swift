import Ingest
import TernEvents

extension AppCenterQuery {
  /// Parses a parameter that is a time to the millisecond, such as `last_received_log_timestamp`: a date, or a date and
  /// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff`, with `Z`, `±hh:mm` or nothing, which means UTC.
  static func time(_ name: String, _ given: [String: String]) throws(AppCenterError) -> Timestamp? {
    guard try day(name, given) != nil, var text = given[name].map({ Array($0.utf8) }) else { return nil }
    if text.count == 10 { text += Array("T00:00".utf8) }
    // The parser needs seconds, and a `+` that was not encoded arrives as a space.
    if text.count >= 16, text.dropFirst(16).first != UInt8(ascii: ":") { text.insert(contentsOf: ":00".utf8, at: 16) }
    for place in text.indices.dropFirst(19) where text[place] == UInt8(ascii: " ") { text[place] = UInt8(ascii: "+") }
    guard let time = text.withUnsafeBytes(writtenTime) else { throw unreadable(name) }
    return time
  }
}
