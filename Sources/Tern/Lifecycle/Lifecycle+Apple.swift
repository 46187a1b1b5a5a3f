#if canImport(Darwin)
  import Foundation

  #if canImport(UIKit) && !os(watchOS)
    import TernEvents
    import UIKit

    extension TernClient.Environment {
      /// Unknown until the first notification: a launch in the background must not open a session.
      static var startsInForeground: Bool { false }
    }

    /// Tells a client when the app comes and goes.
    final class LifecycleObserver: Sendable {
      private let tokens: Locked<[any NSObjectProtocol]>

      init(_ client: TernClient) {
        let center = NotificationCenter.default
        let watch: (Notification.Name, @escaping @Sendable (TernClient) -> Void) -> any NSObjectProtocol = {
          name, action in
          center.addObserver(forName: name, object: nil, queue: nil) { [weak client] _ in client.map(action) }
        }
        tokens = Locked([
          watch(UIApplication.didEnterBackgroundNotification) { $0.didEnterBackground() },
          watch(UIApplication.willEnterForegroundNotification) { $0.willEnterForeground() },
          // The first activation of a launch in the foreground comes without `willEnterForeground`.
          watch(UIApplication.didBecomeActiveNotification) { $0.willEnterForeground() },
          watch(UIApplication.willTerminateNotification) { $0.willTerminate() },
        ])
      }

      deinit {
        tokens.withLock { $0.forEach(NotificationCenter.default.removeObserver) }
      }
    }
  #else
    extension TernClient.Environment {
      /// On a Mac a window behind another is still in use; on a watch there is no notification to wait for.
      static var startsInForeground: Bool { true }
    }

    /// There is nothing to observe here: the app calls `didEnterBackground` and `willEnterForeground` if it wants to.
    final class LifecycleObserver: Sendable {
      init(_ client: TernClient) {}
    }
  #endif
#else
  /// There is nothing to observe here: the app calls `didEnterBackground` and `willEnterForeground` if it wants to.
  final class LifecycleObserver: Sendable {
    init(_ client: TernClient) {}
  }
#endif
