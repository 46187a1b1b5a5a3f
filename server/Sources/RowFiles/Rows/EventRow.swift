package import Ingest
import Warehouse

/// One stored event; ``RowBlock`` is its stored form.
package struct EventRow {
  package var id: Int64
  package var app: Int64
  /// The time of the event, within ``TimeBounds``.
  package var time: Int64
  /// The delay until it was received, in milliseconds.
  package var lag: Int64
  package var slot: UInt32
  package var device: Int64
  package var session: Int64
  package var flags: Flags
  package var name: Int64
  package var key: DuplicateKey?

  package init(
    id: Int64, app: Int64, time: Int64, lag: Int64, slot: UInt32, device: Int64, session: Int64, flags: Flags,
    name: Int64, key: DuplicateKey? = nil
  ) {
    (self.id, self.app, self.time, self.lag, self.slot, self.device) = (id, app, time, lag, slot, device)
    (self.session, self.flags, self.name, self.key) = (session, flags, name, key)
  }

  /// The time of receipt, within ``TimeBounds``.
  package var received: Int64 { time &+ lag }

  /// The kind of event, flags of one bit each, and the microseconds within the millisecond of the time.
  package struct Flags {
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(kind: StoredKind, startsSession: Bool, isMeasurement: Bool, microseconds: Int? = nil) {
      rawValue =
        Int64(kind.rawValue) | (startsSession ? 16 : 0) | (isMeasurement ? 32 : 0)
        | (microseconds.map { Int64(min(max($0, 0), 999)) + 1 } ?? 0) << Self.microsecondsShift
    }

    package var kind: StoredKind { StoredKind(rawValue: Int(rawValue & 15)) ?? .other }
    package static let sessionStartBit: Int64 = 16
    package var startsSession: Bool { rawValue & Self.sessionStartBit != 0 }
    /// True for hits of the Measurement Protocol, whose sessions the warehouse derives.
    package var isMeasurement: Bool { rawValue & 32 != 0 }
    private static let microsecondsShift: Int64 = 7
    /// One more than the microseconds within the millisecond of the row's time; 0 if they aren't known.
    package var momentInMillisecond: UInt16 { UInt16(rawValue >> Self.microsecondsShift & 1_023) }
    /// The microseconds within the millisecond of the row's time; `nil` if they aren't known.
    package var microseconds: Int? { momentInMillisecond == 0 ? nil : Int(momentInMillisecond) - 1 }
    static let nameLimitBit: Int64 = 64
    /// True if a name of the event, its properties or its device is counted as "(other)" because the app has too many.
    /// The row keeps the text.
    package var isNameLimited: Bool {
      get { rawValue & Self.nameLimitBit != 0 }
      set { rawValue = newValue ? rawValue | Self.nameLimitBit : rawValue & ~Self.nameLimitBit }
    }
  }
}
