/// A message from a helper to the test that will kill it: eight bytes, so that a pipe transfers it whole or not at all.
struct Message: Equatable, CustomStringConvertible {
  enum Kind: UInt8 {
    /// The process runs and is about to open the log.
    case began = 1
    /// The log is open; the number is the count of waiting events.
    case opened
    /// `append` returned: the event is stored, or dropped and counted.
    case stored, dropped
    /// A claim handed out the event, the last step that a silent server can see.
    case received
    /// `settle` returned: the event has left the log.
    case settled
    /// The identity of the event is about to be erased; `erase` has returned.
    case erasing, erased
    /// The memory in use in KiB, where the system reports it: before the log was opened, and after.
    case resident
    /// A claim held an event twice or out of order.
    case disorder
    /// All requested work is done.
    case finished
  }

  static let size = 8

  var kind: Kind
  var number: UInt32

  var description: String { "\(kind) \(number)" }

  var encoded: UInt64 { UInt64(kind.rawValue) << 32 | UInt64(number) }

  init(_ kind: Kind, _ number: UInt32 = 0) {
    self.kind = kind
    self.number = number
  }

  init?(encoded: UInt64) {
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: encoded >> 32)) else { return nil }
    self.init(kind, UInt32(truncatingIfNeeded: encoded))
  }
}
