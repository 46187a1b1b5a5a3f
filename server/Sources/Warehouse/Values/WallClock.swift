import Foundation
import TernBase
public import TernEvents

/// The system's wall clock.
public enum WallClock {
  /// Returns the current time.
  public static let system: @Sendable () -> Timestamp = {
    Timestamp(millisecondsSince1970: Int64(clamping: (Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }
}
