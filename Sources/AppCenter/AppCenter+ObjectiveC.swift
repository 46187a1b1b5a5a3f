// The names that Objective-C knows; nothing here is for Swift.
#if canImport(ObjectiveC)
  public import Foundation

  extension AppCenter {
    /// See ``configure()``.
    @objc(configure) public class func objectiveCConfigure() { configure() }

    /// See ``configure(withAppSecret:)``.
    @objc(configureWithAppSecret:) public class func objectiveCConfigure(_ appSecret: String?) {
      configure(withAppSecret: appSecret)
    }

    /// See ``start(withAppSecret:services:)``.
    @objc(start:withServices:) public class func objectiveCStart(_ appSecret: String?, _ services: [AnyClass]?) {
      start(withAppSecret: appSecret, services: services)
    }

    /// See ``start(services:)``.
    @objc(startWithServices:) public class func objectiveCStart(_ services: [AnyClass]?) { start(services: services) }

    /// See ``startService(_:)``.
    @objc(startService:) public class func objectiveCStartService(_ service: AnyClass?) { startService(service) }

    /// See ``startFromLibrary(services:)``.
    @objc(startFromLibraryWithServices:) public class func objectiveCStartFromLibrary(_ services: [AnyClass]?) {
      startFromLibrary(services: services)
    }

    /// See ``isConfigured``.
    @objc(isConfigured) public class func objectiveCIsConfigured() -> Bool { isConfigured }

    /// See ``enabled``.
    @objc(isEnabled) public class func objectiveCIsEnabled() -> Bool { enabled }
    /// See ``enabled``.
    @objc(setEnabled:) public class func objectiveCSetEnabled(_ isEnabled: Bool) { enabled = isEnabled }

    /// See ``networkRequestsAllowed``.
    @objc(isNetworkRequestsAllowed) public class func objectiveCAllowsRequests() -> Bool { networkRequestsAllowed }
    /// See ``networkRequestsAllowed``.
    @objc(setNetworkRequestsAllowed:) public class func objectiveCSetAllowsRequests(_ isAllowed: Bool) {
      networkRequestsAllowed = isAllowed
    }

    /// See ``logLevel``.
    @objc(logLevel) public class func objectiveCLogLevel() -> LogLevel { logLevel }
    /// See ``logLevel``.
    @objc(setLogLevel:) public class func objectiveCSetLogLevel(_ level: LogLevel) { logLevel = level }

    /// See ``logUrl``.
    @objc(logUrl) public class func objectiveCLogUrl() -> String? { logUrl }
    /// See ``logUrl``.
    @objc(setLogUrl:) public class func objectiveCSetLogUrl(_ url: String?) { logUrl = url }

    /// See ``installId``.
    @objc(installId) public class func objectiveCInstallId() -> UUID? { installId }
    /// See ``sdkVersion``.
    @objc(sdkVersion) public class func objectiveCVersion() -> String? { sdkVersion }

    /// See ``userId``.
    @objc(setUserId:) public class func objectiveCSetUserId(_ user: String?) { userId = user }
    /// See ``countryCode``.
    @objc(setCountryCode:) public class func objectiveCSetCountryCode(_ code: String?) { countryCode = code }
    /// See ``dataResidencyRegion``.
    @objc(setDataResidencyRegion:) public class func objectiveCSetRegion(_ region: String?) {
      dataResidencyRegion = region
    }

    /// See ``setMaxStorageSize(_:completionHandler:)``.
    @objc(setMaxStorageSize:completionHandler:)
    public class func objectiveCSetMaxStorageSize(_ bytes: Int, _ handler: (@Sendable (Bool) -> Void)?) {
      setMaxStorageSize(bytes, completionHandler: handler)
    }
  }

  extension ServiceAbstract {
    /// See ``enabled``.
    @objc(isEnabled) public class func objectiveCIsEnabled() -> Bool { enabled }
    /// See ``enabled``.
    @objc(setEnabled:) public class func objectiveCSetEnabled(_ isEnabled: Bool) { enabled = isEnabled }
  }
#endif
