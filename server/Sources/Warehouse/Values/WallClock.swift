import Foundation
import TernBase
package import TernEvents

/// The system's wall clock.
package enum WallClock {
  /// Returns the current time.
  package static let system: @Sendable () -> Timestamp = {
    Timestamp(millisecondsSince1970: Int64(clamping: (Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }
}
