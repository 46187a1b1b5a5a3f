// Names for Objective-C; nothing here is for Swift.
#if canImport(ObjectiveC)
  public import Foundation

  /// The urgency of an event in Objective-C: `MSACFlagsNormal` and `MSACFlagsCritical`.
  @objc(MSACFlags) public enum ObjectiveCFlags: UInt, Sendable {
    /// Sent with the next batch.
    case normal = 1
    /// Sent after three seconds.
    case critical = 2
  }

  extension Analytics {
    /// See ``trackEvent(_:)``.
    @objc(trackEvent:) public class func objectiveCTrack(_ name: String) { trackEvent(name) }

    /// See ``trackEvent(_:withProperties:)``.
    @objc(trackEvent:withProperties:)
    public class func objectiveCTrack(_ name: String, _ properties: [String: String]?) {
      trackEvent(name, withProperties: properties)
    }

    /// See ``trackEvent(_:withProperties:flags:)``.
    @objc(trackEvent:withProperties:flags:)
    public class func objectiveCTrack(_ name: String, _ properties: [String: String]?, _ flags: ObjectiveCFlags) {
      trackEvent(name, withProperties: properties, flags: Flags(rawValue: flags.rawValue))
    }

    /// Records an event with typed properties.
    @objc(trackEvent:withTypedProperties:)
    public class func objectiveCTrack(_ name: String, typed properties: EventProperties?) {
      trackEvent(name, withProperties: properties)
    }

    /// Records an event with typed properties and a priority.
    @objc(trackEvent:withTypedProperties:flags:)
    public class func objectiveCTrack(_ name: String, typed properties: EventProperties?, _ flags: ObjectiveCFlags) {
      trackEvent(name, withProperties: properties, flags: Flags(rawValue: flags.rawValue))
    }

    /// See ``pause()``.
    @objc(pause) public class func objectiveCPause() { pause() }
    /// See ``resume()``.
    @objc(resume) public class func objectiveCResume() { resume() }
    /// See ``startSession()``.
    @objc(startSession) public class func objectiveCStartSession() { startSession() }
    /// See ``enableManualSessionTracker()``.
    @objc(enableManualSessionTracker) public class func objectiveCManualSessions() { enableManualSessionTracker() }

    /// See ``transmissionInterval``.
    @objc(transmissionInterval) public class func objectiveCInterval() -> UInt { transmissionInterval }
    /// See ``transmissionInterval``.
    @objc(setTransmissionInterval:) public class func objectiveCSetInterval(_ seconds: UInt) {
      transmissionInterval = seconds
    }
  }

  @available(*, deprecated, message: "One Collector no longer exists: use Analytics.trackEvent.")
  extension Analytics {
    /// See ``transmissionTarget(forToken:)``.
    @objc(transmissionTargetForToken:)
    public class func objectiveCTarget(_ token: String) -> AnalyticsTransmissionTarget {
      transmissionTarget(forToken: token)
    }
  }

  extension EventProperties {
    /// Sets a string.
    @objc(setString:forKey:) public func objectiveCSet(_ value: String, forKey key: String) -> EventProperties {
      setEventProperty(value, forKey: key)
    }
    /// Sets a floating-point number.
    @objc(setDouble:forKey:) public func objectiveCSet(_ value: Double, forKey key: String) -> EventProperties {
      setEventProperty(value, forKey: key)
    }
    /// Sets an integer.
    @objc(setInt64:forKey:) public func objectiveCSet(_ value: Int64, forKey key: String) -> EventProperties {
      setEventProperty(value, forKey: key)
    }
    /// Sets a Boolean.
    @objc(setBool:forKey:) public func objectiveCSet(_ value: Bool, forKey key: String) -> EventProperties {
      setEventProperty(value, forKey: key)
    }
    /// Sets a date.
    @objc(setDate:forKey:) public func objectiveCSet(_ value: Date, forKey key: String) -> EventProperties {
      setEventProperty(value, forKey: key)
    }
  }
#endif
