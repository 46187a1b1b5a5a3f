import TernBase
import TernEvents

/// A segment that could not be read, and the time of its next attempt.
///
/// Its events keep waiting but cannot be claimed. It is not quarantined: the cause may be temporary, such as a lack of
/// descriptors or a disk error.
struct ReadBackoff {
  let name: SegmentName
  /// The number of failed attempts in a row.
  var failures = 0
  /// The uptime of the next attempt.
  var until: Duration = .zero

  private static let first = Duration.seconds(1)
  /// Frequent enough for a disk that recovers, and no burden for one that does not.
  private static let longest = Duration.seconds(30 * 60)
  /// Without descriptors new events wait with it, and the app frees some as soon as it closes files.
  private static let longestOutOfFiles = Duration.seconds(60)

  mutating func failed(at uptime: Duration, isOutOfFiles: Bool) {
    let longest = isOutOfFiles ? Self.longestOutOfFiles : Self.longest
    until = uptime + min(Self.first * (1 << min(failures, 20)), longest)
    failures += 1
  }
}

extension LogState {
  /// Starts or prolongs the backoff of a segment that could not be read.
  mutating func backOff(_ name: SegmentName, at uptime: Duration, isOutOfFiles: Bool) {
    guard place(of: name) != nil else { return }
    readBackoffs[name.number, default: ReadBackoff(name: name)].failed(at: uptime, isOutOfFiles: isOutOfFiles)
  }

  /// Starts the backoff of all segments, since there is no directory to read them from.
  mutating func backOffEverything(at uptime: Duration) {
    for lane in lanes.indices {
      for index in lanes[lane].segments.indices where lanes[lane].segments[index].waiting > 0 {
        let name = lanes[lane].segments[index].name
        if !isBackingOff(name.number, at: uptime) { backOff(name, at: uptime, isOutOfFiles: true) }
      }
    }
  }

  /// Makes the next claim retry all segments that could not be read.
  mutating func endWaits() {
    for number in readBackoffs.keys { readBackoffs[number]?.until = .zero }
  }

  func isBackingOff(_ number: UInt64, at uptime: Duration) -> Bool {
    guard !readBackoffs.isEmpty, let backoff = readBackoffs[number] else { return false }
    return backoff.until > uptime
  }

  /// Counts the waiting events of segments that are backing off, with the time of the first attempt; without a time it
  /// includes segments whose attempt is due.
  func unreadableEvents(at uptime: Duration?) -> (normal: Int, critical: Int, until: Duration?) {
    var result: (normal: Int, critical: Int, until: Duration?) = (0, 0, nil)
    for backoff in readBackoffs.values where uptime.map({ backoff.until > $0 }) ?? true {
      guard let (lane, index) = place(of: backoff.name) else { continue }
      let waiting = lanes[lane].segments[index].waiting
      guard waiting > 0 else { continue }
      if backoff.name.lane == .critical { result.critical += waiting } else { result.normal += waiting }
      result.until = min(result.until ?? backoff.until, backoff.until)
    }
    return result
  }

  /// Ends the backoff of a segment that was read, or is gone.
  mutating func endBackoff(_ number: UInt64) {
    if !readBackoffs.isEmpty { readBackoffs[number] = nil }
  }
}

extension EventLog {
  /// Makes the next claim retry all segments that could not be read.
  package func retryUnreadable() {
    state.withLock { state in
      state.endWaits()
      for number in state.unread.keys { state.unread[number]?.until = .zero }
    }
  }
}
