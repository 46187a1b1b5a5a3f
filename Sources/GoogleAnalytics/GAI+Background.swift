// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation
import TernMeasurement

extension GAI {
  /// Sends all waiting hits while the system lets the process run; replaces forty lines of the original's guide.
  ///
  /// Call it when the app has left the foreground. It always returns the background time that it requests, after 25 s at
  /// the latest. Periodic dispatch and its interval stay as they are, so there is nothing to restore.
  ///
  /// ```swift
  /// func applicationDidEnterBackground(_ application: UIApplication) { GAI.sharedInstance().sendHitsInBackground() }
  /// ```
  ///
  /// - Parameter completionHandler: Called once at the end, with `noData` when nothing is left or there is no network,
  ///   else with `error`.
  public func sendHitsInBackground(completionHandler: ((GAIDispatchResult) -> Void)? = nil) {
    let handler = completionHandler.map { Handler(call: $0) }
    engine.sendInBackground { handler?.call(GAIDispatchResult($0)) }
  }
}
