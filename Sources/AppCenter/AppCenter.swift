// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import TernEvents

/// Starts the SDK and its services, for apps that were written for App Center's SDK.
///
/// Every call forwards to one Tern client; `docs/app-center.md` says how.
#if canImport(ObjectiveC)
  @objc(MSACAppCenter)
#endif
public final class AppCenter: NSObject {
  // The object has no state at all.
  nonisolated(unsafe) private static let instance = AppCenter()

  /// The one instance; everything is also there as a class member.
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

  /// Starts one more service, after the SDK was configured.
  public class func startService(_ service: AnyClass!) {
    AppCenterCore.shared.startService(service)
  }

  /// Starts services for a library; the application may start them again, with a secret.
  public class func startFromLibrary(services: [AnyClass]!) {
    AppCenterCore.shared.start(nil, services, fromApplication: false)
  }

  /// Whether the application has configured the SDK.
  public class var isConfigured: Bool { AppCenterCore.shared.isConfigured }

  /// Whether the process runs in a test cloud: the environment variable `RUNNING_IN_APP_CENTER` is 1.
  public class var isRunningInAppCenterTestCloud: Bool {
    AppCenterCore.shared.world.variables["RUNNING_IN_APP_CENTER"] == "1"
  }

  // MARK: Switches

  /// Whether anything is recorded and sent; kept over launches, false before the SDK was configured and while there is
  /// nowhere to keep it, of which the log says why.
  ///
  /// Switching it off erases everything that waits.
  public class var enabled: Bool {
    get { AppCenterCore.shared.isEnabled }
    set { AppCenterCore.shared.isEnabled = newValue }
  }

  /// Whether requests may be made; kept over launches, and can be set before the start.
  public class var networkRequestsAllowed: Bool {
    get { AppCenterCore.shared.allowsRequests }
    set { AppCenterCore.shared.allowsRequests = newValue }
  }

  /// From which level on messages are written; `.assert` at first, `.warning` while an app is developed.
  public class var logLevel: LogLevel {
    get { AppCenterCore.shared.logBook.level }
    set { AppCenterCore.shared.logBook.level = newValue }
  }

  /// What takes every message of every level, on a serial queue; `nil` silences the SDK.
  public class var logHandler: LogHandler! {
    get { AppCenterCore.shared.logBook.handler }
    set { AppCenterCore.shared.logBook.handler = newValue }
  }

  // MARK: Facts

  /// The collector's address; `nil` until it is set.
  ///
  /// Set it before the start if neither `TernCollector` in Info.plist nor the environment variable `TERN_COLLECTOR`
  /// names one: there is no default. A path `/logs` at its end is dropped.
  public class var logUrl: String! {
    get { AppCenterCore.shared.logUrl }
    set { AppCenterCore.shared.logUrl = newValue }
  }

  /// Where the data shall be kept; travels with the device's facts.
  public class var dataResidencyRegion: String! {
    get { AppCenterCore.shared.dataResidencyRegion }
    set { AppCenterCore.shared.dataResidencyRegion = newValue }
  }

  /// Identifies this installation; can be read before the start.
  public class var installId: UUID! { AppCenterCore.shared.installID }

  /// The version of this SDK.
  public class var sdkVersion: String! { ternVersion }

  /// The user of the events from now on, until the process ends; at most 256 characters.
  public class var userId: String! {
    get { AppCenterCore.shared.userID }
    set { AppCenterCore.shared.userID = newValue }
  }

  /// The ISO 3166 code of the country, in place of the carrier's; without either none is reported.
  public class var countryCode: String! {
    get { AppCenterCore.shared.countryCode }
    set { AppCenterCore.shared.countryCode = newValue }
  }

  /// Whether the app delegate is swizzled; never: nothing here needs it.
  public class var isAppDelegateForwarderEnabled: Bool { false }

  /// Whether a debugger is attached.
  public class var isDebuggerAttached: Bool { debuggerIsAttached() }

  /// The size that the storage may grow to, in bytes: at least 24 KiB, 10 MiB unless it is set; once, before the start.
  ///
  /// - Parameters:
  ///   - sizeInBytes: The size.
  ///   - completionHandler: Called once; whether the size holds.
  @preconcurrency
  public class func setMaxStorageSize(_ sizeInBytes: Int, completionHandler: (@Sendable (Bool) -> Void)!) {
    AppCenterCore.shared.setMaximumSize(sizeInBytes, completionHandler)
  }

  /// The size that the storage may grow to, in bytes; returns, once the SDK was started, whether it holds.
  public class func setMaxStorageSize(_ sizeInBytes: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      AppCenterCore.shared.setMaximumSize(sizeInBytes) { continuation.resume(returning: $0) }
    }
  }
}
