// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import TernBase
import TernEvents
import TernMeasurement

extension GAI {
  /// Returns the tracker with a name, creating it if necessary; an existing one keeps its property.
  ///
  /// Returns `nil` and logs an error if the name or the property is `nil` or empty.
  @discardableResult
  public func tracker(withName name: String!, trackingId: String!) -> (any GAITracker)! {
    let tracker = trackers.withLock { trackers in
      trackers.tracker(name: name, trackingID: trackingId) { name, trackingID in
        EngineTracker(MeasurementTracker(name: name, trackingID: trackingID, client: engine))
      }
    }
    if tracker == nil { relay.log(.error, "Nil or empty name supplied, or no tracking ID: there is no tracker.") }
    warnUnlessUsual(trackingId?.trimmed ?? "")
    return tracker
  }

  /// Warns about a mistyped tracking ID, because servers of this protocol accept every hit.
  private func warnUnlessUsual(_ trackingID: String) {
    guard !trackingID.isEmpty, !trackingID.hasPrefix("G-"), !trackingID.contains(/^UA-[0-9]+-[0-9]+$/) else { return }
    engine.warnOnce(
      "\"\(trackingID)\" does not look like a tracking ID, UA-XXXX-Y; servers drop hits with unknown IDs.")
  }

  /// Returns the tracker of a property, creating it if necessary.
  @discardableResult
  public func tracker(withTrackingId trackingId: String!) -> (any GAITracker)! {
    tracker(withName: trackingId?.trimmed, trackingId: trackingId)
  }

  /// Removes a tracker; its recorded hits stay.
  public func removeTracker(byName name: String!) {
    guard let name else { return }
    trackers.withLock { trackers in
      guard let removed = trackers.remove(name: name) else { return }
      if trackers.defaultTracker === removed { trackers.defaultTracker = nil }
    }
  }
}
