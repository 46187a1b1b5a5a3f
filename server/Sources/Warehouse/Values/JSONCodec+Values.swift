package import JSON
import ServerBase
package import TernEvents

extension JSONTree {
  /// A time as text, or `null`.
  package static func time(_ time: Timestamp?) -> JSONTree {
    time.map { .text($0.utcText(withMilliseconds: false)) } ?? .null
  }
}

extension JSONCodec<AppID> {
  package static var app: JSONCodec { JSONCodec<Int64>.identifier.mapped({ AppID($0) }, \.rawValue) }
}

extension JSONCodec<Day> {
  package static var day: JSONCodec {
    JSONCodec(.date) { node throws(JSONFault) in
      guard let day = Day(try node.text()) else { throw node.fault("Expected a date such as 2026-05-30.") }
      return day
    } encode: {
      .text($0.description)
    }
  }
}

extension JSONCodec<String> {
  /// A name. The catalog refuses those that are too long or have control characters, in words of its own.
  package static var name: JSONCodec { JSONCodec.text.mapped(\.trimmed, \.self).specified(.text(1...100)) }
}
