import TernEvents

/// Something that reads bytes from outside.
///
/// The fuzzer runs targets, and so do the tests that replay the corpus; each of them says how bytes are changed, in
/// `FuzzTarget.changeBytes`.
struct FuzzTarget {
  /// Changes an input of a size in place, up to a capacity, by a seed, and returns its new size.
  typealias Mutation = (UnsafeMutablePointer<UInt8>, Int, Int, UInt32) -> Int

  /// The times at which everything is received, on two days.
  static let moments = [
    Timestamp(millisecondsSince1970: 1_770_033_600_000), Timestamp(millisecondsSince1970: 1_770_120_000_000),
  ]

  /// The number of inputs that the replay makes of each file of the corpus: fewer where reading one takes milliseconds.
  let changes: Int
  /// Changes an input; `nil` to change bytes only.
  let mutate: Mutation?
  /// Reads an input. Whatever goes wrong must trap.
  let run: (UnsafeRawBufferPointer) -> Void
  /// Checks at the end of a run what earlier inputs have left to check.
  let finish: () -> Void

  init(
    changes: Int = 500, mutate: Mutation? = nil, run: @escaping (UnsafeRawBufferPointer) -> Void,
    finish: @escaping () -> Void = {}
  ) {
    self.changes = changes
    self.mutate = mutate
    self.run = run
    self.finish = finish
  }

  /// Creates a target whose inputs are text.
  init(
    changes: Int = 500, mutator: TextMutator, run: @escaping (UnsafeRawBufferPointer) -> Void,
    finish: @escaping () -> Void = {}
  ) {
    self.init(changes: changes, mutate: { mutator.mutate($0, $1, $2, $3) }, run: run, finish: finish)
  }
}
