import AppCenter
import AppCenterAnalytics
import AppCenterCrashes
import Foundation

/// Runs the samples of App Center's documentation, then waits until everything is sent:
///
///     TERN_COLLECTOR=http://127.0.0.1:8787 appcenter-sample <app secret> [seconds to stay] [manual] [off]
@main struct Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let secret = arguments.first else {
      print("usage: appcenter-sample <app secret> [seconds to stay] [manual] [off]")
      return
    }
    let wanted = arguments.dropFirst().first.flatMap { Double($0) } ?? 10
    guard wanted.isFinite else {
      print("\"\(wanted)\" is no number of seconds to stay")
      return
    }
    let seconds = min(max(wanted, 0), 86_400)
    let isManual = arguments.contains("manual")

    AppCenter.logLevel = .info
    AppCenter.countryCode = "BR"
    let isSet = Task { await AppCenter.setMaxStorageSize(20 * 1024 * 1024) }
    // Seconds; the documentation's sample had 10000 here and meant ten.
    Analytics.transmissionInterval = 10
    if isManual { Analytics.enableManualSessionTracker() }
    await Task.yield()

    AppCenter.start(withAppSecret: secret, services: [Analytics.self, Crashes.self])
    print("installation \(AppCenter.installId.uuidString), Analytics is \(Analytics.enabled ? "on" : "off")")
    print("20 MiB of storage: \(await isSet.value)")

    if arguments.contains("off") { switchAnalyticsOffAndOn() }
    if isManual {
      Analytics.startSession()
      Analytics.startSession()
    }
    trackEvents()
    trackErrors()
    pauseAndResume()
    switchOffAndOn()
    try await Task.sleep(for: .seconds(seconds))
  }

  private static func trackEvents() {
    Analytics.trackEvent("Video clicked", withProperties: ["Category": "Music", "FileName": "favorite.avi"])
    Analytics.trackEvent("Video clicked")
    let properties = ["Category": "Music", "FileName": "favorite.avi"]
    Analytics.trackEvent("Video clicked", withProperties: properties, flags: .critical)
    // With a name only, nil is allowed for the properties.
    Analytics.trackEvent("Video clicked", withProperties: nil, flags: .critical)
    let typed = EventProperties()
    typed.setEventProperty("Jazz", forKey: "Genre")
    typed.setEventProperty(Int64(12), forKey: "Position")
    typed.setEventProperty(0.75, forKey: "Volume")
    // A value that is not finite is ignored, with an error in the log.
    typed.setEventProperty(Double.nan, forKey: "Rating")
    typed.setEventProperty(true, forKey: "Offline")
    typed.setEventProperty(Date(), forKey: "AddedAt")
    Analytics.trackEvent("Clip opened", withProperties: typed)
  }

  private static func trackErrors() {
    do {
      _ = try Data(contentsOf: URL(fileURLWithPath: "/no such file"))
    } catch {
      let note = ErrorAttachmentLog.attachment(withText: "What the user did before.", filename: "note.txt")
      Crashes.trackError(error, properties: ["While": "opening a clip"], attachments: [note!])
    }
  }

  private static func pauseAndResume() {
    Analytics.pause()
    Analytics.trackEvent("Kept while paused")
    Analytics.resume()
  }

  /// Disabling erases waiting events and stops recording until it is enabled again.
  private static func switchAnalyticsOffAndOn() {
    Analytics.enabled = false
    Analytics.trackEvent("Not collected")
    Analytics.enabled = true
    print("Analytics is \(Analytics.enabled ? "on again" : "off")")
  }

  private static func switchOffAndOn() {
    AppCenter.networkRequestsAllowed = false
    AppCenter.networkRequestsAllowed = true
    print("enabled: \(AppCenter.enabled), \(Analytics.enabled), \(Crashes.enabled)")
  }
}
