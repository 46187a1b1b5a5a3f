// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// A view controller that records a screen view each time that it appears.
  ///
  /// A subclass that sets custom dimensions does so before it calls `super.viewDidAppear(_:)`.
  #if canImport(ObjectiveC)
    @objcMembers @objc(GAITrackedViewController)
  #endif
  open class GAITrackedViewController: UIViewController {
    /// Records the screen; `nil`: the default tracker does.
    open var tracker: (any GAITracker)!
    /// The name of the screen; `nil`: nothing is recorded.
    open var screenName: String!

    /// Records the screen view.
    open override func viewDidAppear(_ animated: Bool) {
      super.viewDidAppear(animated)
      ScreenAppearance.record(screenName, with: tracker, else: GAI.sharedInstance().defaultTracker)
    }
  }
#endif
