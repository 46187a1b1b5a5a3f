/// The number of events that one install has recorded since it was installed, by what became of them, as the device
/// counts.
///
/// On the device the books balance: tracked is the sum of the other four. The server takes the metrics as they come.
public struct DeviceLedger: Sendable, Hashable {
  /// The largest figure taken from a client: what JSON readers can hold exactly.
  public static let maximum: Int64 = 1 << 53

  /// Events that the app has handed over.
  public var tracked: Int64
  /// Events that a server has acknowledged.
  public var delivered: Int64
  /// Events on the device, on no way yet.
  public var waiting: Int64
  /// Events in requests without an answer, this one included.
  public var inFlight: Int64
  /// Events given up, for whatever reason.
  public var dropped: Int64

  /// Creates a ledger.
  public init(tracked: Int64, delivered: Int64, waiting: Int64, inFlight: Int64, dropped: Int64) {
    self.tracked = tracked
    self.delivered = delivered
    self.waiting = waiting
    self.inFlight = inFlight
    self.dropped = dropped
  }

  /// Reads the header `Tern-Ledger`: `tracked=N; delivered=N; waiting=N; in-flight=N; dropped=N`, in any order, with
  /// whole numbers from 0 to ``maximum``. `nil` for anything else; further fields are passed over.
  public init?(header: String) {
    let range = 0...Self.maximum
    guard let fields = HeaderFields(header), let tracked = fields.integer("tracked", in: range),
      let delivered = fields.integer("delivered", in: range), let waiting = fields.integer("waiting", in: range),
      let inFlight = fields.integer("in-flight", in: range), let dropped = fields.integer("dropped", in: range)
    else { return nil }
    self.init(tracked: tracked, delivered: delivered, waiting: waiting, inFlight: inFlight, dropped: dropped)
  }

  /// The books once the device has the answer to a request: what the request brought is on no way any more.
  ///
  /// A device that says nothing afterwards would otherwise be shown for weeks with its last batch under way.
  public func answered(stored: Int, refused: Int) -> DeviceLedger {
    var ledger = self
    let settled = min(max(Int64(stored), 0), inFlight)
    let lost = min(max(Int64(refused), 0), inFlight - settled)
    ledger.inFlight -= settled + lost
    ledger.delivered += settled
    ledger.dropped += lost
    return ledger
  }

  /// The books when some of those that were counted as stored were refused after all.
  public func refusing(_ count: Int) -> DeviceLedger {
    var ledger = self
    let lost = min(max(Int64(count), 0), delivered)
    ledger.delivered -= lost
    ledger.dropped += lost
    return ledger
  }

  /// Grows as long as the device keeps its books: of two ledgers of an install the one with more is the later one.
  public var progress: Int64 { tracked + delivered + dropped }
}
