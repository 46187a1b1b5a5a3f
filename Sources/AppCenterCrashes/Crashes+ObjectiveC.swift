// The names that Objective-C knows; nothing here is for Swift.
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

  extension ErrorAttachmentLog {
    /// Creates an attachment of text.
    @objc(attachmentWithText:filename:)
    public class func objectiveCAttachment(_ text: String, _ filename: String?) -> ErrorAttachmentLog {
      attachment(withText: text, filename: filename)
    }

    /// Creates an attachment of bytes.
    @objc(attachmentWithBinary:filename:contentType:)
    public class func objectiveCAttachment(_ data: Data, _ filename: String?, _ type: String) -> ErrorAttachmentLog {
      attachment(withBinary: data, filename: filename, contentType: type)
    }
  }
#endif
