import TernBase
import TernEvents

// Only the main thread may read the screen, but a client may be created on any thread.
#if canImport(Darwin)
  import Foundation

  #if canImport(UIKit) && !os(watchOS) && !os(visionOS)
    import UIKit

    /// The native pixels of the panel, always in portrait.
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
    /// This platform has no screen with a pixel size.
    @MainActor private func mainScreen() -> CGSize? { nil }
  #endif

  extension Device {
    private static let screen = Locked<String?>(nil)

    /// The screen size in pixels; off the main thread it is `nil` until the main thread has read it.
    static func currentScreen() -> String? {
      if let known = screen.withLock({ $0 }) { return known }
      if Thread.isMainThread {
        MainActor.assumeIsolated { readScreen() }
      } else {
        Task { @MainActor in readScreen() }
      }
      return screen.withLock { $0 }
    }

    @MainActor private static func readScreen() {
      let size = mainScreen().flatMap { screenText(width: $0.width, height: $0.height) }
      screen.withLock { $0 = size }
    }
  }
#else
  extension Device {
    /// No system call tells which screen, if any, is the app's.
    static func currentScreen() -> String? { nil }
  }
#endif

extension Device {
  /// The size in whole pixels as the protocols write it; `nil` if it cannot be a screen's.
  static func screenText(width: Double, height: Double) -> String? {
    guard (1...100_000).contains(width), (1...100_000).contains(height) else { return nil }
    return "\(Int(width.rounded()))x\(Int(height.rounded()))"
  }
}
