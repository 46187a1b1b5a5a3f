// Names for Objective-C; nothing here is for Swift.
#if canImport(ObjectiveC)
  public import Foundation

  @available(*, deprecated, message: "One Collector no longer exists: pass properties with each event.")
  extension PropertyConfigurator {
    /// See ``appVersion``.
    @objc(appVersion) public func objectiveCAppVersion() -> String? { appVersion }
    /// See ``appVersion``.
    @objc(setAppVersion:) public func objectiveCSetAppVersion(_ value: String?) { appVersion = value }

    /// See ``appName``.
    @objc(appName) public func objectiveCAppName() -> String? { appName }
    /// See ``appName``.
    @objc(setAppName:) public func objectiveCSetAppName(_ value: String?) { appName = value }

    /// See ``appLocale``.
    @objc(appLocale) public func objectiveCAppLocale() -> String? { appLocale }
    /// See ``appLocale``.
    @objc(setAppLocale:) public func objectiveCSetAppLocale(_ value: String?) { appLocale = value }

    /// See ``userId``.
    @objc(userId) public func objectiveCUserId() -> String? { userId }
    /// See ``userId``.
    @objc(setUserId:) public func objectiveCSetUserId(_ value: String?) { userId = value }

    /// Sets a string.
    @objc(setEventPropertyString:forKey:) public func objectiveCSet(_ value: String, forKey key: String) {
      setEventProperty(value, forKey: key)
    }
    /// Sets a floating-point number.
    @objc(setEventPropertyDouble:forKey:) public func objectiveCSet(_ value: Double, forKey key: String) {
      setEventProperty(value, forKey: key)
    }
    /// Sets an integer.
    @objc(setEventPropertyInt64:forKey:) public func objectiveCSet(_ value: Int64, forKey key: String) {
      setEventProperty(value, forKey: key)
    }
    /// Sets a Boolean.
    @objc(setEventPropertyBool:forKey:) public func objectiveCSet(_ value: Bool, forKey key: String) {
      setEventProperty(value, forKey: key)
    }
    /// Sets a date.
    @objc(setEventPropertyDate:forKey:) public func objectiveCSet(_ value: Date, forKey key: String) {
      setEventProperty(value, forKey: key)
    }

    /// See ``removeEventProperty(forKey:)``.
    @objc(removeEventPropertyForKey:) public func objectiveCRemove(forKey key: String) {
      removeEventProperty(forKey: key)
    }
    /// See ``collectDeviceId()``.
    @objc(collectDeviceId) public func objectiveCCollectDeviceId() { collectDeviceId() }
  }
#endif
