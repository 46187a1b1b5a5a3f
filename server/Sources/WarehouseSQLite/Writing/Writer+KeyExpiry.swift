import RowFiles
import TernBase
import TernEvents
import Warehouse

extension Writer {
  private static let keysSinceName = "keys_since"

  /// Deletes the keys of events that are refused by now; returns false if it is too early, or the disk is full.
  func expireKeys(now: Int64) -> Bool {
    let time = now - configuration.recognizedAge.wholeMilliseconds - DuplicateIndex.margin
    do {
      if let latest = duplicates.latestExpired(before: time) {
        // Before the keys are deleted: what they can't recognize any more must be refused, also with a longer age later.
        try transact { try raiseKeysSince(to: latest + 1) }
      }
      return duplicates.expire(before: time)
    } catch {
      return false
    }
  }

  /// Notes that keys of rows that arrived before a time may be gone, in the open transaction.
  func raiseKeysSince(to time: Int64) throws {
    try connection.prepare("INSERT INTO state VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = max(value, ?2)")
      .bind(Self.keysSinceName, time).run()
    oldestRecognized = nil
  }

  /// The age up to which events are never refused for the lack of keys: less than any setting. Otherwise, after a
  /// clock was far ahead and all keys expired, new events would be refused for weeks.
  private static let acceptedAge: Int64 = 7 * 86_400_000

  /// Returns the time before which an event may be a duplicate that no key recognizes.
  ///
  /// - Parameter received: The time at which it is received.
  func timeOfOldestRecognized(received: Int64) throws -> Int64 {
    try min(timeOfOldestRecognized(), received - Self.acceptedAge)
  }

  /// Returns the time since which the keys of all rows are there; `nil` if none were deleted.
  func keysSince() throws -> Int64? {
    try connection.prepare("SELECT value FROM state WHERE name = ?").bind(Self.keysSinceName).first { $0.integer(0) }
  }

  private func timeOfOldestRecognized() throws -> Int64 {
    if let oldestRecognized { return oldestRecognized }
    let time = try keysSince().map { $0 + DuplicateIndex.margin } ?? .min
    oldestRecognized = time
    return time
  }
}
