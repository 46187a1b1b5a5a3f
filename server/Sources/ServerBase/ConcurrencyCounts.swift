/// The numbers of things in progress by their owner, such as a client or a provider.
package struct ConcurrencyCounts<Owner: Hashable & Sendable>: Sendable {
  private var counts: [Owner: Int] = [:]
  /// The number of all of them.
  package private(set) var total = 0

  package init() {}

  /// Returns the number of an owner's.
  package subscript(owner: Owner) -> Int { counts[owner] ?? 0 }

  /// Counts one more.
  package mutating func began(_ owner: Owner) {
    counts[owner, default: 0] += 1
    total += 1
  }

  /// Counts one less, and forgets owners without any.
  package mutating func ended(_ owner: Owner) {
    guard let count = counts[owner] else { return }
    counts[owner] = count > 1 ? count - 1 : nil
    total -= 1
  }
}
