// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import TernMeasurement

extension GAI {
  /// Sends all that waits while the system lets the process run; not in the original, whose guide had forty lines for it.
  ///
  /// Call it when the app has left the foreground. The time that it asks the system for is given back in every case, at
  /// the latest after 25 s. Periodic dispatch and its interval stay as they are, so nothing has to be restored.
  ///
  /// ```swift
  /// func applicationDidEnterBackground(_ application: UIApplication) { GAI.sharedInstance().sendHitsInBackground() }
  /// ```
  ///
  /// - Parameter completionHandler: Called once at the end: `noData` when nothing is left or there is no network, else
  ///   `error`.
  public func sendHitsInBackground(completionHandler: ((GAIDispatchResult) -> Void)? = nil) {
    let handler = completionHandler.map { Handler(call: $0) }
    engine.sendInBackground { handler?.call(GAIDispatchResult($0)) }
  }
}
