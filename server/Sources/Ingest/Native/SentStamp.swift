package import TernEvents

/// The readings of a device's clocks when it built a request: the header `Tern-Sent`.
package struct SentStamp: Sendable, Hashable {
  /// The time of the wall clock.
  package var time: Timestamp
  /// Milliseconds since the device booted, or `nil` if unknown.
  package var uptime: Int64?
  /// The boot from which the uptime counts, or `nil` if unknown.
  package var boot: String?

  private static let maximumBootBytes = 64
  /// The accepted times; sums with them do not overflow.
  private static let times: ClosedRange<Int64> = -(1 << 53)...1 << 53

  package init(time: Timestamp, uptime: Int64? = nil, boot: String? = nil) {
    self.time = time
    self.uptime = uptime
    self.boot = boot
  }

  /// Parses `time=<milliseconds>; uptime=<milliseconds>; boot=<text>`, in any order; only the time is required.
  ///
  /// Returns `nil` for anything else, including unreadable optional fields; further fields are ignored.
  package init?(header: String) {
    guard let fields = HeaderFields(header), let time = fields.integer("time", in: Self.times) else { return nil }
    let uptime = fields.integer("uptime", in: 0 ... .max)
    let boot = fields.text("boot")
    guard uptime != nil || !fields.has("uptime"), (boot?.utf8.count ?? 0) <= Self.maximumBootBytes else { return nil }
    self.init(time: Timestamp(millisecondsSince1970: time), uptime: uptime, boot: boot)
  }
}
