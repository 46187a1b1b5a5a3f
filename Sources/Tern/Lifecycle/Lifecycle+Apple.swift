import TernBase

#if canImport(Darwin)
  import Foundation
  import TernEvents

  #if canImport(UIKit) && !os(watchOS)
    import UIKit

    extension TernClient.Environment {
      /// Unknown until the first notification: a launch in the background must not start a session.
      static var startsInForeground: Bool { false }
    }

    extension LifecycleObserver {
      func start(_ client: TernClient) {
        let center = NotificationCenter.default
        watch(UIApplication.didEnterBackgroundNotification, of: center, for: client) { $0.didEnterBackground() }
        watch(UIApplication.willEnterForegroundNotification, of: center, for: client) { $0.willEnterForeground() }
        // A launch in the foreground sends no `willEnterForeground` notification.
        watch(UIApplication.didBecomeActiveNotification, of: center, for: client) { $0.willEnterForeground() }
        watch(UIApplication.willTerminateNotification, of: center, for: client) { $0.willTerminate() }
        watch(UIApplication.protectedDataDidBecomeAvailableNotification, of: center, for: client) {
          $0.protectedDataBecameAvailable()
        }
      }
    }
  #elseif canImport(WatchKit)
    import WatchKit

    extension TernClient.Environment {
      /// Unknown until the first notification: watchOS wakes apps in the background all day.
      static var startsInForeground: Bool { false }
    }

    extension LifecycleObserver {
      func start(_ client: TernClient) {
        // The notification names are isolated to the main actor here.
        Task { @MainActor [weak self, weak client] in
          guard let self, let client else { return }
          let center = NotificationCenter.default
          watch(WKApplication.didEnterBackgroundNotification, of: center, for: client) { $0.didEnterBackground() }
          watch(WKApplication.willEnterForegroundNotification, of: center, for: client) { $0.willEnterForeground() }
          watch(WKApplication.didBecomeActiveNotification, of: center, for: client) { $0.willEnterForeground() }
        }
      }
    }
  #elseif canImport(AppKit)
    import AppKit

    extension TernClient.Environment {
      /// macOS launches apps in the foreground.
      static var startsInForeground: Bool { true }
    }

    extension LifecycleObserver {
      /// The app is in the background while it is hidden or the Mac sleeps, but not while its windows are covered.
      func start(_ client: TernClient) {
        let presence = Locked(Presence())
        let notify: @Sendable (TernClient, Presence.Change?) -> Void = { client, change in
          switch change {
          case .left: client.didEnterBackground()
          case .came: client.willEnterForeground()
          case nil: break
          }
        }
        let center = NotificationCenter.default
        watch(NSApplication.didHideNotification, of: center, for: client) { client in
          notify(client, presence.withLock { $0.update { $0.isHidden = true } })
        }
        watch(NSApplication.didUnhideNotification, of: center, for: client) { client in
          notify(client, presence.withLock { $0.update { $0.isHidden = false } })
        }
        watch(NSApplication.willTerminateNotification, of: center, for: client) { $0.willTerminate() }
        let workspace = NSWorkspace.shared.notificationCenter
        watch(NSWorkspace.willSleepNotification, of: workspace, for: client) { client in
          notify(client, presence.withLock { $0.update { $0.isAsleep = true } })
        }
        watch(NSWorkspace.didWakeNotification, of: workspace, for: client) { client in
          notify(client, presence.withLock { $0.update { $0.isAsleep = false } })
        }
      }
    }
  #else
    extension TernClient.Environment {
      static var startsInForeground: Bool { true }
    }

    extension LifecycleObserver {
      /// Does nothing: this platform has no notifications, so the app must report transitions itself.
      func start(_ client: TernClient) {}
    }
  #endif

  /// Notifies a client of the app's lifecycle until it is deallocated.
  final class LifecycleObserver: Sendable {
    private struct Registration {
      var center: NotificationCenter
      var token: any NSObjectProtocol
    }

    private let registrations = Locked<[Registration]>([])

    init(_ client: TernClient) {
      start(client)
      let center = NotificationCenter.default
      watch(NSLocale.currentLocaleDidChangeNotification, of: center, for: client) { $0.refreshDevice() }
      watch(.NSSystemTimeZoneDidChange, of: center, for: client) { $0.refreshDevice() }
    }

    deinit {
      registrations.withLock { $0.forEach { $0.center.removeObserver($0.token) } }
    }

    private func watch(
      _ name: Notification.Name, of center: NotificationCenter, for client: TernClient,
      _ action: @escaping @Sendable (TernClient) -> Void
    ) {
      let token = center.addObserver(forName: name, object: nil, queue: nil) { [weak client] _ in
        client.map(action)
      }
      registrations.withLock { $0.append(Registration(center: center, token: token)) }
    }
  }
#endif
