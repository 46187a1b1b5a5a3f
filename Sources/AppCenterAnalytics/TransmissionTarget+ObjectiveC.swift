// Names for Objective-C; nothing here is for Swift.
#if canImport(ObjectiveC)
  public import AppCenter
  public import Foundation

  @available(*, deprecated, message: "One Collector no longer exists: use Analytics.trackEvent.")
  extension AnalyticsTransmissionTarget {
    /// See ``addAuthenticationProvider(authenticationProvider:)``.
    @objc(addAuthenticationProvider:)
    public class func objectiveCAdd(_ provider: AnalyticsAuthenticationProvider) {
      addAuthenticationProvider(authenticationProvider: provider)
    }

    /// See ``propertyConfigurator``.
    @objc(propertyConfigurator) public func objectiveCConfigurator() -> PropertyConfigurator { propertyConfigurator }

    /// See ``enabled``.
    @objc(isEnabled) public func objectiveCIsEnabled() -> Bool { enabled }
    /// See ``enabled``.
    @objc(setEnabled:) public func objectiveCSetEnabled(_ isEnabled: Bool) { enabled = isEnabled }

    /// See ``trackEvent(_:)``.
    @objc(trackEvent:) public func objectiveCTrack(_ name: String) { trackEvent(name) }

    /// See ``trackEvent(_:withProperties:)``.
    @objc(trackEvent:withProperties:)
    public func objectiveCTrack(_ name: String, _ properties: [String: String]?) {
      trackEvent(name, withProperties: properties)
    }

    /// See ``trackEvent(_:withProperties:flags:)``.
    @objc(trackEvent:withProperties:flags:)
    public func objectiveCTrack(_ name: String, _ properties: [String: String]?, _ flags: ObjectiveCFlags) {
      trackEvent(name, withProperties: properties, flags: Flags(rawValue: flags.rawValue))
    }

    /// Records an event with typed properties.
    @objc(trackEvent:withTypedProperties:)
    public func objectiveCTrack(_ name: String, typed properties: EventProperties?) {
      trackEvent(name, withProperties: properties)
    }

    /// Records an event with typed properties and a priority.
    @objc(trackEvent:withTypedProperties:flags:)
    public func objectiveCTrack(_ name: String, typed properties: EventProperties?, _ flags: ObjectiveCFlags) {
      trackEvent(name, withProperties: properties, flags: Flags(rawValue: flags.rawValue))
    }

    /// See ``transmissionTarget(forToken:)``.
    @objc(transmissionTargetForToken:)
    public func objectiveCTarget(_ token: String) -> AnalyticsTransmissionTarget { transmissionTarget(forToken: token) }

    /// See ``pause()``.
    @objc(pause) public func objectiveCPause() { pause() }
    /// See ``resume()``.
    @objc(resume) public func objectiveCResume() { resume() }
  }
#endif
