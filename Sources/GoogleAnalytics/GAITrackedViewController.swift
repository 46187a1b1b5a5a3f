// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// A view controller that records a screen view each time it appears.
  ///
  /// Subclasses set custom dimensions before they call `super.viewDidAppear(_:)`.
  #if canImport(ObjectiveC)
    @objcMembers @objc(GAITrackedViewController)
  #endif
  open class GAITrackedViewController: UIViewController {
    /// The tracker that records the screen; `nil` for the default tracker.
    open var tracker: (any GAITracker)!
    /// The name of the screen; `nil` to record nothing.
    open var screenName: String!

    /// Records the screen view.
    open override func viewDidAppear(_ animated: Bool) {
      super.viewDidAppear(animated)
      ScreenAppearance.record(screenName, with: tracker, else: GAI.sharedInstance().defaultTracker)
    }
  }
#endif
