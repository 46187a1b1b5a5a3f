import Warehouse

/// Decides which views are counted in the background, and when: all from time to time, and new or changed ones at once,
/// so that their first reader doesn't wait.
struct CountingSchedule {
  /// The usual and the maximum time between two counts of all views.
  static let pause: Duration = .seconds(30)
  static let longestPause: Duration = .seconds(300)

  private var known: Set<View> = []
  private var next = Duration.zero

  /// Returns true if all views are due.
  func isDue(at time: Duration) -> Bool { time >= next }

  /// Returns the views to count now.
  mutating func viewsToCount(of views: [View], at time: Duration) -> [View] {
    defer { known = Set(views) }
    return isDue(at: time) ? views : views.filter { !known.contains($0) }
  }

  /// Records a check. Counting all views takes at most a tenth of the time.
  mutating func finished(begin: Duration, end: Duration) {
    guard isDue(at: begin) else { return }
    next = end + min(max(Self.pause, (end - begin) * 9), Self.longestPause)
  }
}
