import Questions
import TernBase

/// The bounds within which a question must be answered.
package struct QuestionLimits: Sendable {
  /// The memory that a question may take, in bytes.
  package static let standardBytes = 256 << 20
  package static let standardTime: Duration = .seconds(30)

  package var bytes: Int
  package var deadline: ContinuousClock.Instant
  package var isCancelled: @Sendable () -> Bool

  package init(
    bytes: Int = standardBytes, deadline: ContinuousClock.Instant = .now + standardTime,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.bytes = bytes
    self.deadline = deadline
    self.isCancelled = isCancelled
  }

  /// Throws if the question must end.
  ///
  /// - Parameter size: The memory that it takes, in bytes.
  package func check(_ size: Int = 0) throws {
    if isCancelled() { throw CancellationError() }
    if ContinuousClock.now >= deadline { throw QuestionError.tooSlow }
    if size > bytes { throw QuestionError.tooLarge }
  }
}

/// The memory of a question whose parts are evaluated at the same time.
final class PartSizes: Sendable {
  private let sizes: Locked<[Int]>

  init(parts count: Int) { sizes = Locked(Array(repeating: 0, count: count)) }

  /// Forgets the parts of an earlier pass over the chunks.
  func reset() { sizes.withLock { sizes in for part in sizes.indices { sizes[part] = 0 } } }

  /// Records the size of a part; returns the size of all.
  func update(_ part: Int, _ size: Int) -> Int {
    sizes.withLock { sizes in
      sizes[part] = size
      return sizes.reduce(0, +)
    }
  }
}

extension QuestionError {
  static let tooSlow = QuestionError(
    "The question takes too long. Ask for fewer days, or add a filter.", at: "$", code: .tooSlow)
  static let tooLarge = QuestionError(
    "The question needs more memory than allowed. Ask for fewer days, or use fewer or coarser dimensions.", at: "$",
    code: .tooLarge)
}
