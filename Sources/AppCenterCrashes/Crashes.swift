// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

@_exported public import AppCenter
import Foundation
package import Tern
import TernEvents

/// Is asked with the reports of crashes; true means that the app answers later, with `Crashes.notify(with:)`.
public typealias UserConfirmationHandler = ([ErrorReport]) -> Bool

/// Records errors; start it with `AppCenter.start(withAppSecret:services:)`.
///
/// Handled errors are recorded like events. Crashes are critical and share the storage with them; nothing catches
/// crashes yet, so there are none.
#if canImport(ObjectiveC)
  @objc(MSACCrashes)
#endif
public final class Crashes: ServiceAbstract {
  private class var core: AppCenterCore { .shared }

  // MARK: Handled errors

  /// Records an error that the app took care of, with up to 20 properties and with attachments of up to 7 MiB each.
  ///
  /// - Returns: The error's identifier; empty when it was not recorded.
  @discardableResult
  public class func trackError(
    _ error: any Error, properties: [String: String]?, attachments: [ErrorAttachmentLog]?
  ) -> String {
    trackException(ExceptionModel(withError: error), properties: properties, attachments: attachments)
  }

  /// Records an error that the app took care of, with what the app knows of it.
  ///
  /// - Returns: The error's identifier; empty when it was not recorded.
  @discardableResult
  public class func trackException(
    _ exception: ExceptionModel!, properties: [String: String]?, attachments: [ErrorAttachmentLog]?
  ) -> String {
    guard let exception else { return "" }
    return core.record(exception, properties ?? [:], attachments ?? [])?.id?.description.uppercased() ?? ""
  }

  // MARK: Crashes

  /// Ends the process by a trap, to try out what comes of it; never in an app that others use.
  public class func generateTestCrash() {
    fatalError("This crash was asked for by Crashes.generateTestCrash().")
  }

  /// Whether the process before this one crashed; false before the service was started.
  public class var hasCrashedInLastSession: Bool { lastSessionCrashReport != nil }

  /// Whether the process before this one was warned of low memory; never, since nothing takes note of it.
  public class var hasReceivedMemoryWarningInLastSession: Bool { false }

  /// What is known of the crash of the process before this one.
  public class var lastSessionCrashReport: ErrorReport? {
    core.state.withLock { $0.crashes.last }.map(ErrorReport.init)
  }

  /// Does nothing: no handler is installed.
  public class func disableMachExceptionHandler() {}

  // MARK: Consent

  private struct Hooks {
    weak var delegate: (any CrashesDelegate)?
    /// One that nobody else keeps alive.
    var kept: (any CrashesDelegate)?
    var confirmation: UserConfirmationHandler?
  }

  private static let hooks = Locked(Hooks())

  /// Is told what becomes of crash reports, and asked about them; not kept alive.
  public class var delegate: (any CrashesDelegate)? {
    get { hooks.withLock { $0.delegate } }
    set {
      hooks.withLock { hooks in
        hooks.kept = nil
        hooks.delegate = newValue
      }
    }
  }

  /// Makes a delegate that stands for another object, and keeps it alive.
  class func keep(_ delegate: (any CrashesDelegate)?) {
    hooks.withLock { hooks in
      hooks.kept = delegate
      hooks.delegate = delegate
    }
  }

  /// Is asked before crash reports are sent, unless the user has said `.always`; set it before the start.
  public class var userConfirmationHandler: UserConfirmationHandler? {
    get { hooks.withLock { $0.confirmation } }
    set { hooks.withLock { $0.confirmation = newValue } }
  }

  /// Answers for the user, after ``userConfirmationHandler`` returned true.
  ///
  /// `.always` is kept over launches: later reports are sent without asking, until the app says `.dontSend`. Without an
  /// answer the reports stay, and the next launch asks again.
  public class func notify(with userConfirmation: UserConfirmation) {
    core.settleCrashes(userConfirmation)
  }
}

/// What a user says about sending crash reports.
#if canImport(ObjectiveC)
  @objc(MSACUserConfirmation)
#endif
public enum UserConfirmation: UInt, Sendable {
  /// These are not sent.
  case dontSend = 0
  /// These are sent.
  case send = 1
  /// These are sent, and later ones without being asked about, in later launches too.
  case always = 2
}

/// Is told what becomes of crash reports, and asked about them.
public protocol CrashesDelegate: AnyObject {
  /// Whether a report may be sent; true by default.
  func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool
  /// What to send with a report; nothing by default.
  func attachments(with crashes: Crashes, for errorReport: ErrorReport) -> [ErrorAttachmentLog]?
  /// A report is about to be sent.
  func crashes(_ crashes: Crashes, willSend errorReport: ErrorReport)
  /// The collector has a report.
  func crashes(_ crashes: Crashes, didSucceedSending errorReport: ErrorReport)
  /// A report left without being delivered.
  func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: any Error)
  /// The same, for apps whose method takes an optional; such an app has only this one.
  func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: (any Error)?)
}

extension CrashesDelegate {
  /// True.
  public func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool { true }
  /// Nothing.
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
