/// The trackers of an app by name.
package struct TrackerRegistry<Tracker> {
  private var trackers: [String: Tracker] = [:]
  /// The default tracker: the first one created unless the app sets another.
  package var defaultTracker: Tracker?

  /// Creates a registry without trackers.
  package init() {}

  /// Returns the tracker with the name, creating it if necessary; `nil` if the name or identifier is empty.
  package mutating func tracker(
    name: String?, trackingID: String?, make: (_ name: String, _ trackingID: String) -> Tracker
  ) -> Tracker? {
    guard let name, !name.isEmpty, let trackingID = trackingID?.trimmed, !trackingID.isEmpty else { return nil }
    if let known = trackers[name] { return known }
    let made = make(name, trackingID)
    trackers[name] = made
    if defaultTracker == nil { defaultTracker = made }
    return made
  }

  /// Removes and returns a tracker.
  package mutating func remove(name: String) -> Tracker? { trackers.removeValue(forKey: name) }
}

extension String {
  /// The string without leading and trailing whitespace.
  package var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
  }
}
