import TernBase
import TernEvents

/// The fields that an app sets for all its hits to one property.
package final class MeasurementTracker: Sendable {
  private struct State {
    var fields: [String: String] = [:]
    var allowsAdvertisingID = false
  }

  /// The tracker's name.
  package let name: String
  private let trackingID: String
  private let client: MeasurementClient
  private let state = Locked(State())

  /// Creates a tracker that nothing was said to yet.
  package init(name: String, trackingID: String, client: MeasurementClient) {
    self.name = name
    self.trackingID = trackingID
    self.client = client
  }

  /// True if an advertising identifier set by the app is sent; it is never looked up.
  package var allowsAdvertisingID: Bool {
    get { state.withLock { $0.allowsAdvertisingID } }
    set { state.withLock { $0.allowsAdvertisingID = newValue } }
  }

  /// The value of a parameter, by its name with the ampersand: what was set, else what is sent by itself.
  package subscript(name: String) -> String? {
    get {
      if let value = state.withLock({ $0.fields[name] }) { return value }
      if name == "&tid" { return trackingID }
      return name.hasPrefix("&") ? client.composer.automatic[String(name.dropFirst())] : nil
    }
    set {
      if newValue != nil, let warning = HitComposer.warning(aboutName: name) { client.warnOnce(warning) }
      state.withLock { $0.fields[name] = newValue }
    }
  }

  /// Records a hit with values that hold for it alone.
  package func send(_ values: [String: HitValue]) {
    let tracker = state.withLock { state in
      HitComposer.Tracker(
        trackingID: trackingID, fields: state.fields, allowsAdvertisingID: state.allowsAdvertisingID)
    }
    client.send(tracker, values)
  }

  /// Takes values as they come; names that are no text are left out.
  package func send(anything values: [AnyHashable: Any]) {
    var known: [String: HitValue] = [:]
    for (name, value) in values {
      if let name = name.base as? String {
        known[name] = HitValue(value)
      } else {
        client.warnOnce("\"\(name)\" is no name of a parameter; it is left out.")
      }
    }
    send(known)
  }
}
