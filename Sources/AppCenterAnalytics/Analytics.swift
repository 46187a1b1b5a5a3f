@_exported public import AppCenter
package import Tern
import TernEvents

/// Records events and sessions; start it with `AppCenter.start(withAppSecret:services:)`.
#if canImport(ObjectiveC)
  @objc(MSACAnalytics)
#endif
public class Analytics: ServiceAbstract {
  private class var core: AppCenterCore { .shared }

  // MARK: Events

  /// Records an event; names have 1 to 256 characters.
  public class func trackEvent(_ eventName: String) {
    core.track(eventName, .normal, traits) { _ in [:] }
  }

  /// Records an event with up to 20 properties, whose names and values have up to 125 characters.
  public class func trackEvent(_ eventName: String, withProperties properties: [String: String]?) {
    trackEvent(eventName, withProperties: properties, flags: .normal)
  }

  /// Records an event with up to 20 properties; `.critical` sends it after three seconds and before normal ones.
  public class func trackEvent(_ eventName: String, withProperties properties: [String: String]?, flags: Flags) {
    core.track(eventName, flags, traits) { messages in EventRules.properties(properties ?? [:], &messages) }
  }

  /// Records an event with up to 20 properties of several types.
  @_disfavoredOverload
  public class func trackEvent(_ eventName: String, withProperties properties: EventProperties?) {
    trackEvent(eventName, withProperties: properties, flags: .normal)
  }

  /// Records an event with up to 20 properties of several types; `.critical` sends it after three seconds.
  @_disfavoredOverload
  public class func trackEvent(_ eventName: String, withProperties properties: EventProperties?, flags: Flags) {
    core.track(eventName, flags, traits) { messages in EventRules.properties(properties?.elements ?? [], &messages) }
  }

  // MARK: Sending

  /// Pauses sending until ``resume()`` or the next launch; events are still recorded.
  public class func pause() { core.setPaused(true, traits) }

  /// Resumes sending.
  public class func resume() { core.setPaused(false, traits) }

  /// The longest time that a normal event waits before it is sent, in **seconds**: 6 to 86,400. Default: 6.
  ///
  /// Set it before the start. Fifty waiting events are sent at once anyway, critical events after three seconds.
  public class var transmissionInterval: UInt {
    get { core.interval }
    set { core.setInterval(newValue) }
  }

  // MARK: Sessions

  /// Begins a session; only after ``enableManualSessionTracker()``, each call begins another.
  public class func startSession() { core.startSession() }

  /// Leaves sessions to ``startSession()`` in this process; call it before the start.
  public class func enableManualSessionTracker() { core.enableManualSessions() }
}

extension Analytics: StartableService {
  package static let traits = ServiceTraits(
    name: "Analytics", tag: .analytics, priority: 500, isSecretRequired: false, part: .usage)

  package static func started(_ core: AppCenterCore, _ client: TernClient?) {
    core.analyticsStarted(client)
  }
}
