/// The trackers of an app, by their names.
package struct TrackerRegistry<Tracker> {
  private var trackers: [String: Tracker] = [:]
  /// The first tracker that was made, unless the app says otherwise.
  package var defaultTracker: Tracker?

  /// Creates a registry without trackers.
  package init() {}

  /// The tracker of that name, made when there is none yet; `nil` for an empty name or identifier.
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

  /// Forgets a tracker; returns it.
  package mutating func remove(name: String) -> Tracker? { trackers.removeValue(forKey: name) }
}

extension String {
  /// Without white space at its ends.
  package var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
  }
}
