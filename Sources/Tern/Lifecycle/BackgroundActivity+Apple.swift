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
    /// Asks for the seconds that the system gives a process before it suspends it; in app extensions, too.
    public struct SystemBackgroundActivity: BackgroundActivity {
      /// Creates the source of time.
      public init() {}

      /// Asks for time.
      public func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let isOver = DispatchSemaphore(value: 0)
        // The system counts the time for as long as the block runs, on a thread of the system's. It calls the block
        // again when the time is up, or only so when there is none.
        DispatchQueue.global(qos: .utility).async {
          ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
            if isExpired { onExpiry() } else { isOver.wait() }
          }
        }
        return { isOver.signal() }
      }
    }
  #else
    /// Keeps a Mac from napping or ending the process meanwhile; the system takes no time back.
    public struct SystemBackgroundActivity: BackgroundActivity {
      /// Creates the source of time.
      public init() {}

      /// Asks for time.
      public func begin(_ reason: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let token = Locked(
          ProcessInfo.processInfo.beginActivity(
            options: [.background, .suddenTerminationDisabled, .automaticTerminationDisabled], reason: reason))
        return { token.withLock { ProcessInfo.processInfo.endActivity($0) } }
      }
    }
  #endif
#endif
