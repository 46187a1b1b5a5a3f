import Ingest
import Views
import Warehouse

/// The names in reports of kinds other than events and screens.
enum KindName {
  private static let names: [(StoredKind, String)] = [
    (.event, "event"), (.screen, "screen"), (.sessionStart, "session_start"), (.drops, "drops"),
    (.handledError, "handled_error"), (.crash, "crash"), (.other, "other"), (.attachment, "attachment"),
    (.attachmentPart, "attachment_part"),
  ]

  static func name(_ number: Int64) -> String {
    names.first { Int64($0.0.rawValue) == number }?.1 ?? "other"
  }

  static func number(_ name: String) -> Int64? { names.first { $0.1 == name }.map { Int64($0.0.rawValue) } }
}
