// Names for Objective-C; nothing here is for Swift.
#if canImport(ObjectiveC)
  public import Foundation

  extension Crashes {
    /// See ``trackError(_:properties:attachments:)``.
    @objc(trackError:withProperties:attachments:)
    public class func objectiveCTrack(
      _ error: NSError, _ properties: [String: String]?, _ attachments: [ErrorAttachmentLog]?
    ) -> String {
      trackError(error, properties: properties, attachments: attachments)
    }

    /// See ``trackException(_:properties:attachments:)``.
    @objc(trackException:withProperties:attachments:)
    public class func objectiveCTrack(
      exception: ExceptionModel, _ properties: [String: String]?, _ attachments: [ErrorAttachmentLog]?
    ) -> String {
      trackException(exception, properties: properties, attachments: attachments)
    }

    /// See ``generateTestCrash()``.
    @objc(generateTestCrash) public class func objectiveCTestCrash() { generateTestCrash() }
    /// See ``hasCrashedInLastSession``.
    @objc(hasCrashedInLastSession) public class func objectiveCHasCrashed() -> Bool { hasCrashedInLastSession }
    /// See ``hasReceivedMemoryWarningInLastSession``.
    @objc(hasReceivedMemoryWarningInLastSession) public class func objectiveCHasReceivedWarning() -> Bool {
      hasReceivedMemoryWarningInLastSession
    }
    /// See ``disableMachExceptionHandler()``.
    @objc(disableMachExceptionHandler) public class func objectiveCDisableHandler() { disableMachExceptionHandler() }
    /// See ``userConfirmationHandler``.
    @objc(userConfirmationHandler) public class func objectiveCHandler() -> UserConfirmationHandler? {
      userConfirmationHandler
    }
    /// See ``userConfirmationHandler``.
    @objc(setUserConfirmationHandler:) public class func objectiveCSetHandler(_ handler: UserConfirmationHandler?) {
      userConfirmationHandler = handler
    }
    /// See ``notify(with:)``.
    @objc(notifyWithUserConfirmation:) public class func objectiveCNotify(_ answer: UserConfirmation) {
      notify(with: answer)
    }
    /// See ``lastSessionCrashReport``.
    @objc(lastSessionCrashReport) public class func objectiveCReport() -> ErrorReport? { lastSessionCrashReport }
  }

  /// The Objective-C delegate, `MSACCrashesDelegate`.
  @objc(MSACCrashesDelegate) public protocol ObjectiveCCrashesDelegate: NSObjectProtocol {
    /// Returns true if a report may be sent; assumed without this method.
    @objc(crashes:shouldProcessErrorReport:)
    optional func objectiveCCrashes(_ crashes: Crashes, shouldProcess report: ErrorReport) -> Bool
    /// Returns attachments for a report; none without this method.
    @objc(attachmentsWithCrashes:forErrorReport:)
    optional func objectiveCAttachments(_ crashes: Crashes, for report: ErrorReport) -> [ErrorAttachmentLog]?
    /// Called before a report is sent.
    @objc(crashes:willSendErrorReport:)
    optional func objectiveCCrashes(_ crashes: Crashes, willSend report: ErrorReport)
    /// Called when the collector has stored a report.
    @objc(crashes:didSucceedSendingErrorReport:)
    optional func objectiveCCrashes(_ crashes: Crashes, didSucceedSending report: ErrorReport)
    /// Called when a report was dropped without delivery.
    @objc(crashes:didFailSendingErrorReport:withError:)
    optional func objectiveCCrashes(_ crashes: Crashes, didFailSending report: ErrorReport, withError error: NSError?)
  }

  /// Forwards to the implemented methods of an Objective-C delegate.
  private final class DelegateAdapter: CrashesDelegate {
    /// Weak, as ``Crashes/delegate`` is.
    private(set) weak var target: (any ObjectiveCCrashesDelegate)?

    init(_ target: any ObjectiveCCrashesDelegate) { self.target = target }

    func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool {
      guard let target else { return true }
      return target.objectiveCCrashes?(crashes, shouldProcess: errorReport) ?? true
    }

    func attachments(with crashes: Crashes, for errorReport: ErrorReport) -> [ErrorAttachmentLog]? {
      guard let target else { return nil }
      return target.objectiveCAttachments?(crashes, for: errorReport) ?? nil
    }

    func crashes(_ crashes: Crashes, willSend errorReport: ErrorReport) {
      guard let target else { return }
      target.objectiveCCrashes?(crashes, willSend: errorReport)
    }

    func crashes(_ crashes: Crashes, didSucceedSending errorReport: ErrorReport) {
      guard let target else { return }
      target.objectiveCCrashes?(crashes, didSucceedSending: errorReport)
    }

    func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: (any Error)?) {
      guard let target else { return }
      target.objectiveCCrashes?(crashes, didFailSending: errorReport, withError: error.map { $0 as NSError })
    }
  }

  extension Crashes {
    /// See ``delegate``; `nil` unless it was set from Objective-C.
    @objc(delegate) public class func objectiveCDelegate() -> (any ObjectiveCCrashesDelegate)? {
      (delegate as? DelegateAdapter)?.target
    }
    /// See ``delegate``.
    @objc(setDelegate:) public class func objectiveCSetDelegate(_ target: (any ObjectiveCCrashesDelegate)?) {
      keep(target.map { DelegateAdapter($0) })
    }
  }
#endif
