import Ingest
import Warehouse

/// One stored event; ``RowBlock`` is its stored form.
struct EventRow {
  var id: Int64
  var app: Int64
  /// The time of the event, within ``TimeBounds``.
  var time: Int64
  /// The delay until it was received, in milliseconds.
  var lag: Int64
  var slot: UInt32
  var device: Int64
  var session: Int64
  var flags: Flags
  var name: Int64
  var key: DuplicateKey?

  /// The time of receipt, within ``TimeBounds``.
  var received: Int64 { time &+ lag }

  /// The kind of event, and flags of one bit each.
  struct Flags {
    var rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(kind: StoredKind, startsSession: Bool, isMeasurement: Bool) {
      rawValue = Int64(kind.rawValue) | (startsSession ? 16 : 0) | (isMeasurement ? 32 : 0)
    }

    var kind: StoredKind { StoredKind(rawValue: Int(rawValue & 15)) ?? .other }
    static let sessionStartBit: Int64 = 16
    var startsSession: Bool { rawValue & Self.sessionStartBit != 0 }
    /// True for hits of the Measurement Protocol, whose sessions the warehouse derives.
    var isMeasurement: Bool { rawValue & 32 != 0 }
    static let nameLimitBit: Int64 = 64
    /// True if a name of the event, its properties or its device is counted as "(other)" because the app has too many.
    /// The row keeps the text.
    var isNameLimited: Bool {
      get { rawValue & Self.nameLimitBit != 0 }
      set { rawValue = newValue ? rawValue | Self.nameLimitBit : rawValue & ~Self.nameLimitBit }
    }
  }
}
