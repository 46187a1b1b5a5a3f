// Names for Objective-C; nothing here is for Swift.
#if canImport(ObjectiveC)
  public import Foundation

  extension AppCenter {
    /// See ``sharedInstance()``.
    @objc(sharedInstance) public class func objectiveCSharedInstance() -> AppCenter { sharedInstance() }

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

    /// See ``isRunningInAppCenterTestCloud``.
    @objc(isRunningInAppCenterTestCloud) public class func objectiveCIsInTestCloud() -> Bool {
      isRunningInAppCenterTestCloud
    }
    /// See ``isAppDelegateForwarderEnabled``.
    @objc(isAppDelegateForwarderEnabled) public class func objectiveCForwards() -> Bool {
      isAppDelegateForwarderEnabled
    }
    /// See ``isDebuggerAttached``.
    @objc(isDebuggerAttached) public class func objectiveCIsDebugged() -> Bool { isDebuggerAttached }

    /// See ``logHandler``.
    @objc(logHandler) public class func objectiveCLogHandler() -> LogHandler? { logHandler }
    /// See ``logHandler``.
    @objc(setLogHandler:) public class func objectiveCSetLogHandler(_ handler: LogHandler?) { logHandler = handler }

    /// See ``wrapperSdk``.
    @objc(wrapperSdk) public class func objectiveCWrapperSdk() -> WrapperSdk? { wrapperSdk }
    /// See ``wrapperSdk``.
    @objc(setWrapperSdk:) public class func objectiveCSetWrapperSdk(_ sdk: WrapperSdk?) { wrapperSdk = sdk }

    /// See ``userId``.
    @objc(userId) public class func objectiveCUserId() -> String? { userId }
    /// See ``countryCode``.
    @objc(countryCode) public class func objectiveCCountryCode() -> String? { countryCode }
    /// See ``dataResidencyRegion``.
    @objc(dataResidencyRegion) public class func objectiveCRegion() -> String? { dataResidencyRegion }

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

  extension Logger {
    /// See ``logMessage(_:level:tag:file:function:line:)``.
    @objc(logMessage:level:tag:file:function:line:)
    public class func objectiveCLog(
      _ message: LogMessageProvider?, _ level: LogLevel, _ tag: String?, _ file: UnsafePointer<CChar>?,
      _ function: UnsafePointer<CChar>?, _ line: UInt32
    ) {
      logMessage(message, level: level, tag: tag, file: file, function: function, line: line)
    }
  }

  extension WrapperLogger {
    /// See ``msacWrapperLog(_:tag:level:)``.
    @objc(MSACWrapperLog:tag:level:)
    public class func objectiveCLog(_ message: LogMessageProvider?, _ tag: String?, _ level: LogLevel) {
      msacWrapperLog(message, tag: tag, level: level)
    }
  }

  extension ServiceAbstract {
    /// See ``enabled``.
    @objc(isEnabled) public class func objectiveCIsEnabled() -> Bool { enabled }
    /// See ``enabled``.
    @objc(setEnabled:) public class func objectiveCSetEnabled(_ isEnabled: Bool) { enabled = isEnabled }
  }
#endif
