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

  /// The kind of event, flags of one bit each, and the microseconds within the millisecond of the time.
  struct Flags {
    var rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(kind: StoredKind, startsSession: Bool, isMeasurement: Bool, microseconds: Int? = nil) {
      rawValue =
        Int64(kind.rawValue) | (startsSession ? 16 : 0) | (isMeasurement ? 32 : 0)
        | (microseconds.map { Int64(min(max($0, 0), 999)) + 1 } ?? 0) << Self.microsecondsShift
    }

    var kind: StoredKind { StoredKind(rawValue: Int(rawValue & 15)) ?? .other }
    static let sessionStartBit: Int64 = 16
    var startsSession: Bool { rawValue & Self.sessionStartBit != 0 }
    /// True for hits of the Measurement Protocol, whose sessions the warehouse derives.
    var isMeasurement: Bool { rawValue & 32 != 0 }
    private static let microsecondsShift: Int64 = 7
    /// One more than the microseconds within the millisecond of the row's time; 0 if they aren't known.
    var momentInMillisecond: UInt16 { UInt16(rawValue >> Self.microsecondsShift & 1_023) }
    /// The microseconds within the millisecond of the row's time; `nil` if they aren't known.
    var microseconds: Int? { momentInMillisecond == 0 ? nil : Int(momentInMillisecond) - 1 }
    static let nameLimitBit: Int64 = 64
    /// True if a name of the event, its properties or its device is counted as "(other)" because the app has too many.
    /// The row keeps the text.
    var isNameLimited: Bool {
      get { rawValue & Self.nameLimitBit != 0 }
      set { rawValue = newValue ? rawValue | Self.nameLimitBit : rawValue & ~Self.nameLimitBit }
    }
  }
}
