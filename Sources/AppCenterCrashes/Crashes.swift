// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

@_exported public import AppCenter
import Foundation
package import Tern
import TernBase
import TernEvents

/// Decides about crash reports. Returns true if the app will answer later with `Crashes.notify(with:)`.
public typealias UserConfirmationHandler = ([ErrorReport]) -> Bool

/// Records errors; start it with `AppCenter.start(withAppSecret:services:)`.
///
/// Handled errors are recorded like events. Crash reports are critical events in the same storage. On Linux, crashes are
/// caught from the start of the service: the next launch reads their reports.
#if canImport(ObjectiveC)
  @objc(MSACCrashes)
#endif
public final class Crashes: ServiceAbstract {
  private class var core: AppCenterCore { .shared }

  // MARK: Handled errors

  /// The property by which an app names the group of an error itself; it isn't sent as a property.
  static let fingerprintProperty = "tern.fingerprint"

  /// Records a handled error with up to 20 properties and attachments of up to 7 MiB each.
  ///
  /// With the property `tern.fingerprint`, which is new here, all errors with the same value are one group in the reports.
  ///
  /// - Returns: The error's identifier; empty if it was not recorded.
  @discardableResult
  public class func trackError(
    _ error: any Error, properties: [String: String]?, attachments: [ErrorAttachmentLog]?
  ) -> String {
    trackException(ExceptionModel(withError: error), properties: properties, attachments: attachments)
  }

  /// Records a handled error from the app's own description.
  ///
  /// - Returns: The error's identifier; empty if it was not recorded.
  @discardableResult
  public class func trackException(
    _ exception: ExceptionModel!, properties: [String: String]?, attachments: [ErrorAttachmentLog]?
  ) -> String {
    guard let exception else { return "" }
    return core.record(exception, properties ?? [:], attachments ?? [])?.id?.description.uppercased() ?? ""
  }

  // MARK: Crashes

  /// Crashes the process, for tests; never call it in a released app.
  public class func generateTestCrash() {
    fatalError("This crash was requested by Crashes.generateTestCrash().")
  }

  /// True if the previous process crashed; false before the service has started.
  public class var hasCrashedInLastSession: Bool { lastSessionCrashReport != nil }

  /// True if the system warned the previous process of low memory while the service ran; false before the service has
  /// started, and on systems without UIKit, which send no such warnings.
  public class var hasReceivedMemoryWarningInLastSession: Bool {
    core.state.withLock { $0.crashes.hadMemoryWarning }
  }

  /// The crash report of the previous process.
  public class var lastSessionCrashReport: ErrorReport? {
    core.state.withLock { $0.crashes.last }.map(ErrorReport.init)
  }

  /// Does nothing: no Mach exception handler is used.
  public class func disableMachExceptionHandler() {}

  // MARK: Consent

  private struct Hooks {
    weak var delegate: (any CrashesDelegate)?
    /// A delegate without another owner.
    var kept: (any CrashesDelegate)?
    var confirmation: UserConfirmationHandler?
  }

  private static let hooks = Locked(Hooks())

  /// The delegate; a weak reference.
  public class var delegate: (any CrashesDelegate)? {
    get { hooks.withLock { $0.delegate } }
    set {
      hooks.withLock { hooks in
        hooks.kept = nil
        hooks.delegate = newValue
      }
    }
  }

  /// Sets a delegate and retains it.
  class func keep(_ delegate: (any CrashesDelegate)?) {
    hooks.withLock { hooks in
      hooks.kept = delegate
      hooks.delegate = delegate
    }
  }

  /// Called before crash reports are sent, unless the user has chosen `.always`; set it before the start.
  public class var userConfirmationHandler: UserConfirmationHandler? {
    get { hooks.withLock { $0.confirmation } }
    set { hooks.withLock { $0.confirmation = newValue } }
  }

  /// Passes on the user's answer, after ``userConfirmationHandler`` returned true.
  ///
  /// `.always` is kept across launches: later reports are sent without asking, until the app says `.dontSend`. Without an
  /// answer the reports stay, and the next launch asks again.
  public class func notify(with userConfirmation: UserConfirmation) {
    core.settleCrashes(userConfirmation)
  }
}

/// A user's answer about sending crash reports.
#if canImport(ObjectiveC)
  @objc(MSACUserConfirmation)
#endif
public enum UserConfirmation: UInt, Sendable {
  /// Don't send these reports.
  case dontSend = 0
  /// Send these reports.
  case send = 1
  /// Send these reports, and later ones without asking, in later launches, too.
  case always = 2
}

/// Decides about crash reports and is notified of their delivery.
public protocol CrashesDelegate: AnyObject {
  /// Returns true if a report may be sent. Default: true.
  func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool
  /// Returns attachments for a report. Default: none.
  func attachments(with crashes: Crashes, for errorReport: ErrorReport) -> [ErrorAttachmentLog]?
  /// Called before a report is sent.
  func crashes(_ crashes: Crashes, willSend errorReport: ErrorReport)
  /// Called when the collector has stored a report.
  func crashes(_ crashes: Crashes, didSucceedSending errorReport: ErrorReport)
  /// Called when a report was dropped without delivery.
  func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: any Error)
  /// A variant for apps whose method takes an optional error.
  func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: (any Error)?)
}

extension CrashesDelegate {
  /// Returns true.
  public func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool { true }
  /// Returns nothing.
  public func attachments(with crashes: Crashes, for errorReport: ErrorReport) -> [ErrorAttachmentLog]? { nil }
  /// Does nothing.
  public func crashes(_ crashes: Crashes, willSend errorReport: ErrorReport) {}
  /// Does nothing.
  public func crashes(_ crashes: Crashes, didSucceedSending errorReport: ErrorReport) {}
  /// Does nothing.
  public func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: any Error) {}
  /// Does nothing.
  public func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: (any Error)?) {}
}

extension Crashes: StartableService {
  package static let traits = ServiceTraits(
    name: "Crashes", tag: .crashes, priority: 999, isSecretRequired: true, part: .errors)

  package static func started(_ core: AppCenterCore, _ client: TernClient?) { core.findCrashes() }
}
