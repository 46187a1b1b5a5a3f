// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

public import Foundation

// The Swift 2 spellings: old code compiles, with a hint at the new names.

extension GAI {
  /// Renamed.
  @available(*, deprecated, renamed: "tracker(withTrackingId:)")
  @nonobjc @discardableResult
  public func trackerWithTrackingId(_ trackingId: String!) -> (any GAITracker)! { tracker(withTrackingId: trackingId) }

  /// Renamed.
  @available(*, deprecated, renamed: "tracker(withName:trackingId:)")
  @nonobjc @discardableResult
  public func trackerWithName(_ name: String!, trackingId: String!) -> (any GAITracker)! {
    tracker(withName: name, trackingId: trackingId)
  }

  /// Renamed.
  @available(*, deprecated, renamed: "removeTracker(byName:)")
  @nonobjc public func removeTrackerByName(_ name: String!) { removeTracker(byName: name) }

  /// Renamed.
  @available(*, deprecated, renamed: "dispatch(completionHandler:)")
  @nonobjc public func dispatchWithCompletionHandler(_ completionHandler: ((GAIDispatchResult) -> Void)!) {
    dispatch(completionHandler: completionHandler)
  }
}

extension GAIDictionaryBuilder {
  /// Renamed.
  @available(*, deprecated, renamed: "createEvent(withCategory:action:label:value:)")
  @nonobjc public class func createEventWithCategory(
    _ category: String!, action: String!, label: String!, value: NSNumber!
  ) -> GAIDictionaryBuilder! { createEvent(withCategory: category, action: action, label: label, value: value) }

  /// Renamed.
  @available(*, deprecated, renamed: "createException(withDescription:withFatal:)")
  @nonobjc public class func createExceptionWithDescription(
    _ description: String!, withFatal fatal: NSNumber!
  ) -> GAIDictionaryBuilder! { createException(withDescription: description, withFatal: fatal) }

  /// Renamed.
  @available(*, deprecated, renamed: "add(_:)")
  @nonobjc @discardableResult
  public func addProduct(_ product: GAIEcommerceProduct!) -> GAIDictionaryBuilder! { add(product) }

  /// Renamed.
  @available(*, deprecated, renamed: "add(_:)")
  @nonobjc @discardableResult
  public func addPromotion(_ promotion: GAIEcommercePromotion!) -> GAIDictionaryBuilder! { add(promotion) }
}

extension GAILogLevel {
  /// Renamed.
  @available(*, deprecated, renamed: "none") public static var None: GAILogLevel { .none }
  /// Renamed.
  @available(*, deprecated, renamed: "error") public static var Error: GAILogLevel { .error }
  /// Renamed.
  @available(*, deprecated, renamed: "warning") public static var Warning: GAILogLevel { .warning }
  /// Renamed.
  @available(*, deprecated, renamed: "info") public static var Info: GAILogLevel { .info }
  /// Renamed.
  @available(*, deprecated, renamed: "verbose") public static var Verbose: GAILogLevel { .verbose }
}
