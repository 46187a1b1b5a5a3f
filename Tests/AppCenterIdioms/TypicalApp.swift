import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation

// Compiled only: code like that of apps written for App Center's SDK, in each language mode.

/// A class of the app that is not Sendable.
class TypicalModel {
  var isStorageLarge = false
}

class TypicalApp: NSObject, CrashesDelegate {
  let model = TypicalModel()
  var country: String?

  enum LoginError: Error { case wrongPassword }

  func didFinishLaunching() {
    AppCenter.logLevel = .verbose
    AppCenter.logLevel = LogLevel.none
    AppCenter.logUrl = "https://tern.example.com"
    AppCenter.setMaxStorageSize(20 * 1024 * 1024) { (isSet) in print("set: \(isSet)") }
    AppCenter.setMaxStorageSize(
      20 * 1024 * 1024,
      completionHandler: { success in
        if success { print("ok") }
      })
    AppCenter.setMaxStorageSize(20 * 1024 * 1024, completionHandler: nil)
    Analytics.transmissionInterval = 10
    Analytics.enableManualSessionTracker()
    Crashes.delegate = self
    Crashes.userConfirmationHandler =
      ({ (errorReports: [ErrorReport]) in
        print(errorReports.count)
        return true
      })
    AppCenter.start(withAppSecret: "{Your App Secret}", services: [Analytics.self, Crashes.self])
    AppCenter.start(
      withAppSecret: "ios={Your iOS App Secret};macos={Your macOS App Secret}", services: [Analytics.self])
    AppCenter.configure(withAppSecret: "secret")
    if AppCenter.isConfigured { AppCenter.startService(Analytics.self) }
    AppCenter.networkRequestsAllowed = false
    AppCenter.logHandler = { (messageProvider, logLevel, tag, file, function, line) in
      if logLevel.rawValue > 3, let message = messageProvider?() { print(tag ?? "", message, line) }
    }
    AppCenter.countryCode = country
    AppCenter.countryCode = "BR"
    AppCenter.userId = "your-user-id"
    AppCenter.userId = nil
    AppCenter.dataResidencyRegion = "EU"
    AppCenter.enabled = false
  }

  func identifiers() -> [String] {
    let implicit: String = AppCenter.sdkVersion
    let unwrapped = AppCenter.installId.uuidString
    var texts = [implicit, unwrapped]
    if let id = AppCenter.installId { texts.append(id.uuidString) }
    if let user = AppCenter.userId { texts.append(user) }
    texts.append(AppCenter.countryCode ?? "none")
    texts.append(AppCenter.installId?.uuidString ?? "none")
    return texts
  }

  func events(_ optional: [String: String]?, _ typed: EventProperties?) {
    Analytics.trackEvent("Video clicked")
    Analytics.trackEvent("Video clicked", withProperties: ["Category": "Music", "FileName": "favorite.avi"])
    let properties = ["Category": "Music", "FileName": "favorite.avi"];
    Analytics.trackEvent("Video clicked", withProperties: properties, flags: .critical)
    Analytics.trackEvent("Video clicked", withProperties: properties, flags: Flags.normal)
    Analytics.trackEvent("Video clicked", withProperties: nil, flags: .critical)
    Analytics.trackEvent("Video clicked", withProperties: nil)
    Analytics.trackEvent("Video clicked", withProperties: optional)
    Analytics.trackEvent("Video clicked", withProperties: typed)
    Analytics.trackEvent("Video clicked", withProperties: [:])
    let event = EventProperties()
    event.setEventProperty("value", forKey: "string")
    event.setEventProperty(1.5, forKey: "double")
    event.setEventProperty(Int64(1), forKey: "long")
    event.setEventProperty(true, forKey: "boolean")
    event.setEventProperty(Date(), forKey: "date")
    event.setEventProperty("a", forKey: "b").setEventProperty("c", forKey: "d")
    Analytics.trackEvent("Video clicked", withProperties: event)
    Analytics.trackEvent("Video clicked", withProperties: event, flags: .default)
    Analytics.pause()
    Analytics.resume()
    Analytics.enabled = false
    if Analytics.enabled { Analytics.startSession() }
    _ = AppCenter.sharedInstance()
  }

  func errors(_ error: NSError) {
    do {
      throw LoginError.wrongPassword
    } catch {
      Crashes.trackError(error, properties: ["Category": "Login"], attachments: nil)
    }
    let attachment1 = ErrorAttachmentLog.attachment(withText: "Hello world!", filename: "hello.txt")
    let attachment2 = ErrorAttachmentLog.attachment(
      withBinary: "Fake image".data(using: String.Encoding.utf8), filename: nil, contentType: "image/jpeg")
    let id = Crashes.trackError(error, properties: nil, attachments: [attachment1!, attachment2!])
    print(id)
    let model = ExceptionModel(withType: "Type", exceptionMessage: "Message", stackTrace: ["a"])
    Crashes.trackException(model, properties: nil, attachments: nil)
    Crashes.trackException(model!, properties: nil, attachments: nil)
    Crashes.trackException(ExceptionModel(withError: error), properties: nil, attachments: nil)
    if Crashes.hasCrashedInLastSession, let report = Crashes.lastSessionCrashReport {
      print(report.incidentIdentifier ?? "", report.appErrorTime.timeIntervalSince1970)
    }
    Crashes.notify(with: .dontSend)
    Crashes.notify(with: UserConfirmation.always)
    Crashes.enabled = true
  }

  func crashes(_ crashes: Crashes, shouldProcess errorReport: ErrorReport) -> Bool { true }
  // Compiles with either SDK.
  #if swift(>=6)
    func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: (any Error)?) {}
  #else
    func crashes(_ crashes: Crashes, didFailSending errorReport: ErrorReport, withError error: Error) {}
  #endif
  func attachments(with crashes: Crashes, for errorReport: ErrorReport) -> [ErrorAttachmentLog]? { nil }

  func size() async -> Bool { await AppCenter.setMaxStorageSize(1 << 24) }
}

@MainActor func onTheMainActor(_ country: String?) {
  AppCenter.countryCode = country
  Analytics.trackEvent("Opened")
}

#if !swift(>=6)
  /// Swift 5 lets an app pass values that are not Sendable.
  func storage(_ model: TypicalModel) {
    AppCenter.setMaxStorageSize(1 << 24) { model.isStorageLarge = $0 }
  }
#endif
