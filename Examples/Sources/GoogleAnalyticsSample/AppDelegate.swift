import Foundation
import GoogleAnalytics
import TernBase

/// The app's delegate, translated from the Objective-C in the original's documentation.
final class AppDelegate {
  private var dispatchHandler: ((GAIDispatchResult) -> Void)?
  private let trackingId: String
  private let interval: TimeInterval

  init(trackingId: String, interval: TimeInterval) {
    self.trackingId = trackingId
    self.interval = interval
  }

  func applicationDidFinishLaunching() {
    guard let gai = GAI.sharedInstance() else { return }
    gai.tracker(withTrackingId: trackingId)
    // An app in a bundle has a version anyway.
    gai.defaultTracker.set(kGAIAppVersion, value: "1.2")
    // Optional: automatically report uncaught exceptions.
    gai.trackUncaughtExceptions = true
    // Logs all sending to standard error.
    gai.logger.logLevel = .verbose
    // Seconds; below 1, only explicit dispatches send.
    gai.dispatchInterval = interval
    Journal.note("client \(gai.defaultTracker.get(kGAIClientId) ?? "")")
  }

  // This method sends any queued hits when the app enters the background.
  func sendHitsInBackground() {
    let taskExpired = Flag()

    let taskId = Application.shared.beginBackgroundTask(expirationHandler: {
      taskExpired.isSet = true
    })

    if taskId == Application.invalidTask {
      return
    }

    dispatchHandler = { [weak self] result in
      Journal.note("handler \(result)")
      // Send hits until no hits are left, a dispatch error occurs, or the background task expires.
      if result == .good && !taskExpired.isSet {
        GAI.sharedInstance().dispatch(completionHandler: self?.dispatchHandler)
      } else {
        Application.shared.endBackgroundTask(taskId)
      }
    }

    GAI.sharedInstance().dispatch(completionHandler: dispatchHandler)
  }

  func applicationDidEnterBackground() {
    sendHitsInBackground()
  }

  func applicationWillEnterForeground() {
    // Restores the dispatch interval because dispatch(completionHandler:) has disabled automatic dispatching.
    GAI.sharedInstance().dispatchInterval = interval
    Journal.note("periodic \(GAI.sharedInstance().isDispatchingPeriodically)")
  }
}

/// A variable shared by two blocks, because the system calls the expiration handler on another thread.
final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var value = false

  var isSet: Bool {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}
