// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

import Foundation

/// What a screen that came into view records.
enum ScreenAppearance {
  /// Records the screen; nothing without a name. The name stays with the tracker, for the hits on that screen.
  static func record(
    _ screenName: String?, with tracker: (any GAITracker)?, else standard: @autoclosure () -> (any GAITracker)?
  ) {
    guard let screenName, let tracker = tracker ?? standard() else { return }
    tracker.set(kGAIScreenName, value: screenName)
    tracker.send(GAIDictionaryBuilder.createScreenView().parameters)
  }
}
