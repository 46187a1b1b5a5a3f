import TernBase
import TernEvents

// Only the main thread may read the screen, and a client may be created on another one.
#if canImport(Darwin)
  import Foundation

  #if canImport(UIKit) && !os(watchOS) && !os(visionOS)
    import UIKit

    /// The panel's own pixels, in portrait however the device is held.
    @MainActor private func mainScreen() -> CGSize? { UIScreen.main.nativeBounds.size }
  #elseif canImport(WatchKit)
    import WatchKit

    @MainActor private func mainScreen() -> CGSize? {
      let watch = WKInterfaceDevice.current()
      return CGSize(
        width: watch.screenBounds.width * watch.screenScale, height: watch.screenBounds.height * watch.screenScale)
    }
  #elseif canImport(AppKit)
    import AppKit

    @MainActor private func mainScreen() -> CGSize? {
      NSScreen.main.map { screen in screen.convertRectToBacking(screen.frame).size }
    }
  #else
    /// There is no screen that has pixels.
    @MainActor private func mainScreen() -> CGSize? { nil }
  #endif

  extension Device {
    private static let screen = Locked<String?>(nil)

    /// The screen in pixels; away from the main thread `nil` until that one has been asked.
    static func currentScreen() -> String? {
      if let known = screen.withLock({ $0 }) { return known }
      if Thread.isMainThread {
        MainActor.assumeIsolated { learnScreen() }
      } else {
        Task { @MainActor in learnScreen() }
      }
      return screen.withLock { $0 }
    }

    @MainActor private static func learnScreen() {
      let size = mainScreen().flatMap { screenText(width: $0.width, height: $0.height) }
      screen.withLock { $0 = size }
    }
  }
#else
  extension Device {
    /// A process here need not have a screen, and no call of the system tells which one is the app's.
    static func currentScreen() -> String? { nil }
  }
#endif

extension Device {
  /// Whole pixels as the protocols write them; `nil` for what is no screen.
  static func screenText(width: Double, height: Double) -> String? {
    guard (1...100_000).contains(width), (1...100_000).contains(height) else { return nil }
    return "\(Int(width.rounded()))x\(Int(height.rounded()))"
  }
}
