#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import UIKit

  extension SystemCrashes {
    /// Calls a closure at each of the system's warnings of low memory, until the process ends.
    func observeMemoryWarnings(_ note: @escaping @Sendable () -> Void) {
      // The center keeps the observer.
      _ = NotificationCenter.default.addObserver(
        forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil
      ) { _ in note() }
    }
  }
#else
  extension SystemCrashes {
    /// Does nothing: without UIKit, the system sends no such warnings.
    func observeMemoryWarnings(_ note: @escaping @Sendable () -> Void) {}
  }
#endif
