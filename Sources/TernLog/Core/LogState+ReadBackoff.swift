import TernEvents

/// A segment that could not be read, and until when it is left alone.
///
/// Its events wait like all others, only nobody can have them now. not quarantined: the process may be out of descriptors
/// now, and the disk well again soon.
struct ReadBackoff {
  let name: SegmentName
  /// How often in a row it could not be read.
  var failures = 0
  /// By uptime; a try is due from then on.
  var until: Duration = .zero

  private static let first = Duration.seconds(1)
  /// Often enough for a disk that comes back, and no burden while it does not.
  private static let longest = Duration.seconds(30 * 60)
  /// Without descriptors what comes now waits with it, and they are there again as soon as the app closes some files.
  private static let longestOutOfFiles = Duration.seconds(60)

  mutating func failed(at uptime: Duration, isOutOfFiles: Bool) {
    let longest = isOutOfFiles ? Self.longestOutOfFiles : Self.longest
    until = uptime + min(Self.first * (1 << min(failures, 20)), longest)
    failures += 1
  }
}

extension LogState {
  /// Leaves a segment alone for a while after it could not be read, longer each time.
  mutating func backOff(_ name: SegmentName, at uptime: Duration, isOutOfFiles: Bool) {
    let lane = Int(name.lane.rawValue)
    guard let index = lanes[lane].segments.index(of: name.number) else { return }
    readBackoffs[name.number, default: ReadBackoff(name: name)].failed(at: uptime, isOutOfFiles: isOutOfFiles)
    // What comes now shall not wait with it. Without descriptors there would be no new file for it either: the open
    // one is all there is.
    if !isOutOfFiles, index == lanes[lane].segments.lastIndex { seal(lane) }
  }

  /// Leaves everything that waits alone for a while, since there is no directory to read it from.
  mutating func backOffEverything(at uptime: Duration) {
    for lane in lanes.indices {
      for index in lanes[lane].segments.indices where lanes[lane].segments[index].waiting > 0 {
        let name = lanes[lane].segments[index].name
        if !isBackingOff(name.number, at: uptime) { backOff(name, at: uptime, isOutOfFiles: true) }
      }
    }
  }

  /// A critical event went into a segment that is left alone: worth a try at once.
  mutating func endWait(ofLast lane: Int) {
    guard !readBackoffs.isEmpty, let number = lanes[lane].segments.last?.name.number else { return }
    readBackoffs[number]?.until = .zero
  }

  func isBackingOff(_ number: UInt64, at uptime: Duration) -> Bool {
    guard !readBackoffs.isEmpty, let backoff = readBackoffs[number] else { return false }
    return backoff.until > uptime
  }

  /// What waits in segments that are left alone now, and until when the first of them is; without a time, also in those
  /// of which a try is due.
  func unreadableEvents(at uptime: Duration?) -> (normal: Int, critical: Int, until: Duration?) {
    var result: (normal: Int, critical: Int, until: Duration?) = (0, 0, nil)
    for backoff in readBackoffs.values where uptime.map({ backoff.until > $0 }) ?? true {
      let lane = Int(backoff.name.lane.rawValue)
      guard let index = lanes[lane].segments.index(of: backoff.name.number) else { continue }
      let waiting = lanes[lane].segments[index].waiting
      guard waiting > 0 else { continue }
      if backoff.name.lane == .critical { result.critical += waiting } else { result.normal += waiting }
      result.until = min(result.until ?? backoff.until, backoff.until)
    }
    return result
  }

  /// A segment was read, or is gone.
  mutating func endBackoff(_ number: UInt64) {
    if !readBackoffs.isEmpty { readBackoffs[number] = nil }
  }
}

extension EventLog {
  /// Has segments that could not be read tried again with the next claim, however short ago they failed.
  package func retryUnreadable() {
    state.withLock { state in
      for number in state.readBackoffs.keys { state.readBackoffs[number]?.until = .zero }
      for number in state.unread.keys { state.unread[number]?.until = .zero }
    }
  }
}
