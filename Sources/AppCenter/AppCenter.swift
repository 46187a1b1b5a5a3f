// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import Tern
import TernEvents

/// Starts the SDK and its services, for apps that were written for App Center's SDK.
///
/// Every call forwards to one Tern client; see `docs/app-center.md`.
#if canImport(ObjectiveC)
  @objc(MSACAppCenter)
#endif
public final class AppCenter: NSObject {
  // The object has no state.
  nonisolated(unsafe) private static let instance = AppCenter()

  /// The shared instance; all members are class members, too.
  public class func sharedInstance() -> AppCenter! { instance }

  // MARK: Starting

  /// Configures the SDK without a secret.
  public class func configure() {
    AppCenterCore.shared.start(nil, nil, fromApplication: true)
  }

  /// Configures the SDK without starting a service.
  public class func configure(withAppSecret appSecret: String!) {
    AppCenterCore.shared.start(appSecret, nil, fromApplication: true)
  }

  /// Configures the SDK and starts services; call it once, when the app launches.
  ///
  /// - Parameters:
  ///   - appSecret: The app's secret, alone or as `ios=…;macos=…`.
  ///   - services: For example `[Analytics.self, Crashes.self]`.
  public class func start(withAppSecret appSecret: String!, services: [AnyClass]!) {
    AppCenterCore.shared.start(appSecret, services, fromApplication: true)
  }

  /// Configures the SDK without a secret, and starts services that need none.
  public class func start(services: [AnyClass]!) {
    AppCenterCore.shared.start(nil, services, fromApplication: true)
  }

  /// Starts another service after the SDK was configured.
  public class func startService(_ service: AnyClass!) {
    AppCenterCore.shared.startService(service)
  }

  /// Starts services for a library; the app may start them again with a secret.
  public class func startFromLibrary(services: [AnyClass]!) {
    AppCenterCore.shared.start(nil, services, fromApplication: false)
  }

  /// True once the app has configured the SDK.
  public class var isConfigured: Bool { AppCenterCore.shared.isConfigured }

  /// True in a test cloud, where the environment variable `RUNNING_IN_APP_CENTER` is 1.
  public class var isRunningInAppCenterTestCloud: Bool {
    AppCenterCore.shared.environment.variables["RUNNING_IN_APP_CENTER"] == "1"
  }

  // MARK: Settings

  /// True while the SDK records and sends; kept across launches. False before the SDK is configured, and while nothing
  /// can be stored; the log gives the reason.
  ///
  /// Setting it to false erases all waiting events.
  public class var enabled: Bool {
    get { AppCenterCore.shared.isEnabled }
    set { AppCenterCore.shared.isEnabled = newValue }
  }

  /// Allows requests when true; kept across launches, and can be set before the start.
  public class var networkRequestsAllowed: Bool {
    get { AppCenterCore.shared.allowsRequests }
    set { AppCenterCore.shared.allowsRequests = newValue }
  }

  /// The lowest level that is logged; `.assert` at first, `.warning` in development.
  public class var logLevel: LogLevel {
    get { AppCenterCore.shared.logger.level }
    set { AppCenterCore.shared.logger.level = newValue }
  }

  /// Receives every message of every level, on a serial queue; `nil` silences the SDK.
  public class var logHandler: LogHandler! {
    get { AppCenterCore.shared.logger.handler }
    set { AppCenterCore.shared.logger.handler = newValue }
  }

  // MARK: App and device

  /// The collector's address; `nil` until it is set.
  ///
  /// There is no default. Set it before the start unless `TernCollector` in Info.plist or the environment variable
  /// `TERN_COLLECTOR` names a collector. A trailing `/logs` is dropped.
  public class var logUrl: String! {
    get { AppCenterCore.shared.logUrl }
    set { AppCenterCore.shared.logUrl = newValue }
  }

  /// The region in which to keep the data; sent with the device's properties.
  public class var dataResidencyRegion: String! {
    get { AppCenterCore.shared.dataResidencyRegion }
    set { AppCenterCore.shared.dataResidencyRegion = newValue }
  }

  /// The identifier of this installation; available before the start.
  public class var installId: UUID! { AppCenterCore.shared.installID }

  /// The version of this SDK.
  public class var sdkVersion: String! { ternVersion }

  /// The user of all events from now until the process ends; at most 256 characters.
  public class var userId: String! {
    get { AppCenterCore.shared.userID }
    set { AppCenterCore.shared.userID = newValue }
  }

  /// The ISO 3166 country code to report instead of the carrier's; without either none is reported.
  public class var countryCode: String! {
    get { AppCenterCore.shared.countryCode }
    set { AppCenterCore.shared.countryCode = newValue }
  }

  /// Always false: Tern doesn't swizzle the app delegate.
  public class var isAppDelegateForwarderEnabled: Bool { false }

  /// True if a debugger is attached.
  public class var isDebuggerAttached: Bool { debuggerIsAttached() }

  /// Sets the maximum size of the storage, in bytes, at least 24 KiB; once, before the start. Default: 10 MiB.
  ///
  /// - Parameters:
  ///   - sizeInBytes: The maximum size.
  ///   - completionHandler: Called once, with true if the size was applied.
  @preconcurrency
  public class func setMaxStorageSize(_ sizeInBytes: Int, completionHandler: (@Sendable (Bool) -> Void)!) {
    AppCenterCore.shared.setMaximumSize(sizeInBytes, completionHandler)
  }

  /// Sets the maximum size of the storage, in bytes; returns after the start, with true if the size was applied.
  public class func setMaxStorageSize(_ sizeInBytes: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      AppCenterCore.shared.setMaximumSize(sizeInBytes) { continuation.resume(returning: $0) }
    }
  }
}
