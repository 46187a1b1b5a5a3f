// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation

/// The recording of screens that appear.
enum ScreenAppearance {
  /// Records a screen view; does nothing without a name. The tracker keeps the name for later hits on that screen.
  static func record(
    _ screenName: String?, with tracker: (any GAITracker)?, else standard: @autoclosure () -> (any GAITracker)?
  ) {
    guard let screenName, let tracker = tracker ?? standard() else { return }
    tracker.set(kGAIScreenName, value: screenName)
    tracker.send(GAIDictionaryBuilder.createScreenView().parameters)
  }
}
