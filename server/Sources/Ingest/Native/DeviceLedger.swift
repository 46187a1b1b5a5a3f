package import TernBase

/// The number of events that one install has recorded since it was installed, by state, as counted by the device.
///
/// On the device the counts balance: tracked is the sum of the other four. The server accepts them as they are.
package struct DeviceLedger: Sendable, Hashable {
  /// The largest count accepted from a client: the largest integer that all JSON readers represent exactly.
  package static let maximum: Int64 = 1 << 53

  /// Events recorded by the app.
  package var tracked: SaturatingInt64
  /// Events acknowledged by a server.
  package var delivered: SaturatingInt64
  /// Events stored on the device and not being sent.
  package var waiting: SaturatingInt64
  /// Events in requests without a response, including this one.
  package var inFlight: SaturatingInt64
  /// Events dropped, for any reason.
  package var dropped: SaturatingInt64

  package init(
    tracked: SaturatingInt64, delivered: SaturatingInt64, waiting: SaturatingInt64, inFlight: SaturatingInt64,
    dropped: SaturatingInt64
  ) {
    self.tracked = tracked
    self.delivered = delivered
    self.waiting = waiting
    self.inFlight = inFlight
    self.dropped = dropped
  }

  /// Parses the header `Tern-Ledger`: `tracked=N; delivered=N; waiting=N; in-flight=N; dropped=N`, in any order, with
  /// integers from 0 to ``maximum``. Returns `nil` for anything else; further fields are ignored.
  package init?(header: String) {
    let range = 0...Self.maximum
    guard let fields = HeaderFields(header), let tracked = fields.integer("tracked", in: range),
      let delivered = fields.integer("delivered", in: range), let waiting = fields.integer("waiting", in: range),
      let inFlight = fields.integer("in-flight", in: range), let dropped = fields.integer("dropped", in: range)
    else { return nil }
    self.init(
      tracked: SaturatingInt64(tracked), delivered: SaturatingInt64(delivered), waiting: SaturatingInt64(waiting),
      inFlight: SaturatingInt64(inFlight), dropped: SaturatingInt64(dropped))
  }

  /// Returns the ledger as it will be once the device has the response to a request: none of the request's events are
  /// in flight any more.
  ///
  /// Otherwise, a device that sends nothing afterwards would be shown for weeks with its last batch in flight.
  package func answered(stored: Int, rejected: Int) -> DeviceLedger {
    var ledger = self
    let settled = min(max(SaturatingInt64(stored), 0), inFlight)
    let lost = min(max(SaturatingInt64(rejected), 0), inFlight - settled)
    ledger.inFlight -= settled + lost
    ledger.delivered += settled
    ledger.dropped += lost
    return ledger
  }

  /// Returns the ledger with events that were counted as stored counted as rejected.
  package func rejecting(_ count: Int) -> DeviceLedger {
    var ledger = self
    let lost = min(max(SaturatingInt64(count), 0), delivered)
    ledger.delivered -= lost
    ledger.dropped += lost
    return ledger
  }

  /// A number that grows with every change: of two ledgers of an install, the one with the larger number is later.
  package var progress: SaturatingInt64 { tracked + delivered + dropped }
}
