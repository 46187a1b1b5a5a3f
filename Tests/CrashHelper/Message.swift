/// A message of a helper to the test that will kill it: eight bytes, so that a pipe takes whole messages or none.
struct Message: Equatable, CustomStringConvertible {
  enum Kind: UInt8 {
    /// The process runs; the log is about to be opened.
    case began = 1
    /// The log is open; the number says how many events wait.
    case opened
    /// `append` returned: the event is stored, or dropped and counted.
    case stored, dropped
    /// A claim handed the event out, which is as far as a server that answers nothing gets.
    case received
    /// `settle` returned: the event has left the log.
    case settled
    /// `erase(epoch:)` is about to be called for the epoch of the event; has returned.
    case erasing, erased
    /// KiB of memory in use, where the system says so: before the log was opened, and after.
    case resident
    /// A claim held an event twice or out of order.
    case disorder
    /// Everything that was asked for is done.
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
