import Tern
import TernCrash
import TernEvents

extension FuzzTarget {
  /// Files that a signal handler may have left, whole or not.
  static var crashes: FuzzTarget {
    FuzzTarget { input in
      guard let crash = CaughtCrash(bytes: Array(input)) else { return }
      precondition(crash.exception.encodedMember().count <= 48 << 10)
      _ = TernClient.PreviousProcess(crash)
    }
  }
}
