import TernBase
package import TernEvents

/// The times at which devices with wrong clocks were booted, by the server's clock.
///
/// The server knows how long before a request an event of the same boot happened, but not how long the request took. If it took each
/// request to be built when it arrived, a slow request would move its events behind those of a fast one that was sent later. So
/// the first request of a boot sets when the device was booted, and all others follow, as long as that fits, also if the device's clock is
/// set right in the meantime. Their number is bounded: for a boot that was forgotten, the next request sets the time again.
package struct BootTimes: Sendable {
  private struct Boot: Hashable {
    var app: Int64
    var boot: String
  }

  private let capacity: Int
  /// The latest boots, and those before; a boot of the second that is used moves to the first.
  private var recent: [Boot: Int64] = [:]
  private var older: [Boot: Int64] = [:]

  /// - Parameter capacity: At least so many boots are remembered, and at most twice as many.
  package init(capacity: Int = 16_384) { self.capacity = capacity }

  /// Returns when a request was built by the server's clock; `nil` if the stamp's time is to be used.
  ///
  /// - Parameters:
  ///   - stamp: The readings of the device's clocks.
  ///   - arrived: The server's time when the request's head arrived.
  ///   - app: The app's number.
  ///   - isRight: True if the device's clock is right now.
  package mutating func built(_ stamp: SentStamp, arrived: Timestamp, app: Int64, isRight: Bool) -> Timestamp? {
    guard let name = stamp.boot, let uptime = stamp.uptime else { return isRight ? nil : arrived }
    let boot = Boot(app: app, boot: name.lowercased())
    if let booted = recent[boot] ?? older[boot] {
      let built = booted.addingSaturated(uptime)
      if EventClock.tolerance.contains(arrived.millisecondsSince1970.subtractingSaturated(built)) {
        remember(boot, booted)
        return Timestamp(millisecondsSince1970: built)
      }
    }
    guard !isRight else { return nil }
    remember(boot, arrived.millisecondsSince1970.subtractingSaturated(uptime))
    return arrived
  }

  private mutating func remember(_ boot: Boot, _ booted: Int64) {
    if recent.count >= capacity, recent[boot] == nil { (older, recent) = (recent, [:]) }
    recent[boot] = booted
  }
}
