import TernEvents
import Warehouse

extension Writer {
  private static let keysSince = "keys_since"

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
      .bind(Self.keysSince, time).run()
    oldestRecognized = nil
  }

  /// Returns the time before which an event may be a duplicate that no key recognizes.
  func timeOfOldestRecognized() throws -> Int64 {
    if let oldestRecognized { return oldestRecognized }
    let since = try connection.prepare("SELECT value FROM state WHERE name = ?").bind(Self.keysSince)
      .first { $0.integer(0) }
    let time = since.map { $0 + DuplicateIndex.margin } ?? .min
    oldestRecognized = time
    return time
  }
}
