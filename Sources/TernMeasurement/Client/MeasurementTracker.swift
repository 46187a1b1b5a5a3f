import TernBase
import TernEvents

/// The fields that an app sets for all hits to one property.
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

  /// Creates a tracker without fields.
  package init(name: String, trackingID: String, client: MeasurementClient) {
    self.name = name
    self.trackingID = trackingID
    self.client = client
  }

  /// True if an advertising identifier set by the app may be sent; it is never looked up.
  package var allowsAdvertisingID: Bool {
    get { state.withLock { $0.allowsAdvertisingID } }
    set { state.withLock { $0.allowsAdvertisingID = newValue } }
  }

  /// The value of a parameter, by its name with the ampersand: the one set here, otherwise the automatic one.
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

  /// Records a hit with values of its own.
  package func send(_ values: [String: HitValue]) {
    let tracker = state.withLock { state in
      HitComposer.Tracker(
        trackingID: trackingID, fields: state.fields, allowsAdvertisingID: state.allowsAdvertisingID)
    }
    client.send(tracker, values)
  }

  /// Records a hit with untyped values; names that are not strings are ignored.
  package func send(anything values: [AnyHashable: Any]) {
    var known: [String: HitValue] = [:]
    for (name, value) in values {
      if let name = name.base as? String {
        known[name] = HitValue(value)
      } else {
        client.warnOnce("\"\(name)\" is not a parameter name; it is ignored.")
      }
    }
    send(known)
  }
}
