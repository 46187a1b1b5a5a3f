import TernBase
import TernEvents

/// A segment that could not be read when it was found, so the number of its events is unknown.
struct UnreadSegment {
  let name: SegmentName
  private var backoff: ReadBackoff
  /// The size of its file, if known; counted as quarantined.
  var bytes = 0

  init(_ name: SegmentName) {
    self.name = name
    backoff = ReadBackoff(name: name)
  }

  /// The uptime of the next attempt.
  var until: Duration {
    get { backoff.until }
    set { backoff.until = newValue }
  }

  mutating func failed(at uptime: Duration) { backoff.failed(at: uptime, isOutOfFiles: true) }
}

extension LogState {
  /// Opens a segment's file for loading; `nil` if that fails, or if it is gone.
  mutating func openToLoad(_ name: SegmentName) -> OpenFile? {
    if let file = try? fileSystem.open(path(name), .update) { return file }
    do throws(FileError) {
      return try fileSystem.open(path(name), .read)
    } catch {
      if error.isMissing { endUnread(name) } else { leaveUnread(name) }
      return nil
    }
  }

  /// Starts or prolongs the backoff of an unread segment.
  mutating func leaveUnread(_ name: SegmentName, bytes: Int = 0) {
    var entry = unread[name.number] ?? UnreadSegment(name)
    if entry.bytes == 0, bytes > 0 {
      entry.bytes = bytes
      countQuarantined(bytes)
    }
    entry.failed(at: clock.uptime)
    unread[name.number] = entry
  }

  /// Ends the backoff of a segment that was read, or is gone.
  mutating func endUnread(_ name: SegmentName) {
    guard let entry = unread.removeValue(forKey: name.number) else { return }
    quarantinedBytes = max(quarantinedBytes - entry.bytes, 0)
  }
}

extension EventLog {
  /// Loads segments that could not be read when they were found, if they are due; true if more events wait now.
  package func loadUnreadSegments() -> Bool {
    let uptime = clock.uptime
    guard state.withLock({ state in state.unread.values.contains { $0.until <= uptime } }) else { return false }
    return operations.withLock { _ in
      let isMore = state.withLock { state in
        let before = state.waiting
        state.loadUnread(at: uptime)
        return state.waiting > before
      }
      removeSettled()
      shrink()
      saveCounts()
      return isMore
    }
  }
}
