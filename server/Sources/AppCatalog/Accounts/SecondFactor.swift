import Cryptography
import Foundation
import TernEvents
import Warehouse

/// The second factor of an account: which codes are right, and when none is looked at any more.
///
/// Six digits are few, so that wrong codes count for the account, whatever address they come from.
struct SecondFactor: Sendable, Hashable {
  /// The number of wrong codes in a row that close the second factor.
  static let maximumWrong = 10
  /// The time for which it is closed, after the last wrong code. Afterwards a single wrong code closes it again. So someone with the
  /// password has 34 guesses on the first day, 24 on each further one, and nine more whenever the person enters a right code; each
  /// is right with a probability of 3 in a million.
  static let closedFor = Duration.seconds(3_600)

  let password: OneTimePassword
  /// The last step whose code was used.
  private(set) var lastStep: Int64
  /// The number of wrong codes since the last right one.
  private(set) var wrong: Int
  /// The time of the last wrong code.
  private(set) var lastWrong: Timestamp

  /// Creates the second factor of a stored key.
  init(
    key: [UInt8], lastStep: Int64 = 0, wrong: Int = 0, lastWrong: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    password = OneTimePassword(key: key)
    (self.lastStep, self.wrong, self.lastWrong) = (lastStep, wrong, lastWrong)
  }

  enum Outcome: Sendable, Hashable {
    case right
    /// A recovery code, by its hash, which must not work again.
    case recoveryCode(Data)
    case wrong
    case closed
  }

  /// Uses up a code.
  ///
  /// - Parameter recoveryCodes: The hashes of the codes that are left.
  mutating func use(_ code: String, recoveryCodes: Set<Data>, now: Timestamp) -> Outcome {
    let text = Self.normalized(code)
    // Nobody can guess 80 random bits, and an attacker who closed the second factor must not keep the person out.
    let hash = Secrets.digest(text)
    if recoveryCodes.contains(hash) {
      wrong = 0
      return .recoveryCode(hash)
    }
    // A clock that was set back must not keep it closed.
    let wait = (Duration.zero..<Self.closedFor).contains(now.since(lastWrong))
    if wrong >= Self.maximumWrong, wait { return .closed }
    if let step = password.step(of: text, at: now.millisecondsSince1970 / 1_000, after: lastStep) {
      (lastStep, wrong) = (step, 0)
      return .right
    }
    (wrong, lastWrong) = (wrong + 1, now)
    return .wrong
  }

  /// The code without the spaces and hyphens with which apps and pages show it.
  static func normalized(_ code: String) -> String {
    code.uppercased().filter { $0 != " " && $0 != "-" }
  }
}
