import TernBase

#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation
  import TernEvents

  extension TernClient.Environment {
    static var systemBackgroundActivity: (any BackgroundActivity)? { SystemBackgroundActivity() }
  }

  #if canImport(UIKit) || canImport(WatchKit)
    /// Requests the few seconds that the system grants a process before suspending it. Works in app extensions too.
    public struct SystemBackgroundActivity: BackgroundActivity {
      /// Creates the activity.
      public init() {}

      /// Requests background time from the system.
      public func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let isOver = DispatchSemaphore(value: 0)
        // The activity lasts as long as the block runs, on a system thread. When the time is up, the system calls the
        // block again with `isExpired`; if it grants no time, it makes only that call.
        DispatchQueue.global(qos: .utility).async {
          ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
            if isExpired { onExpiry() } else { isOver.wait() }
          }
        }
        return { isOver.signal() }
      }
    }
  #else
    /// Prevents App Nap and the sudden or automatic termination of the process. The system never expires this activity.
    public struct SystemBackgroundActivity: BackgroundActivity {
      /// Creates the activity.
      public init() {}

      /// Requests background time from the system.
      public func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let token = Locked(
          ProcessInfo.processInfo.beginActivity(
            options: [.background, .suddenTerminationDisabled, .automaticTerminationDisabled], reason: reason))
        return { token.withLock { ProcessInfo.processInfo.endActivity($0) } }
      }
    }
  #endif
#endif
