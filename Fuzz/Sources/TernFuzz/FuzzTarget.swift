/// Something that reads bytes from outside.
struct FuzzTarget {
  /// Changes an input of a size in place, up to a capacity, by a seed, and returns its new size.
  typealias Mutation = (UnsafeMutablePointer<UInt8>, Int, Int, UInt32) -> Int

  /// Changes an input; `nil` to change bytes only.
  let mutate: Mutation?
  /// Reads an input. Whatever goes wrong must trap.
  let run: (UnsafeRawBufferPointer) -> Void
  /// Checks at the end of a run what earlier inputs have left to check.
  let finish: () -> Void

  init(
    mutate: Mutation? = nil, run: @escaping (UnsafeRawBufferPointer) -> Void, finish: @escaping () -> Void = {}
  ) {
    self.mutate = mutate
    self.run = run
    self.finish = finish
  }

  /// Creates a target whose inputs are text.
  init(
    mutator: TextMutator, run: @escaping (UnsafeRawBufferPointer) -> Void, finish: @escaping () -> Void = {}
  ) {
    self.init(mutate: { mutator.mutate($0, $1, $2, $3) }, run: run, finish: finish)
  }

  /// All targets by the names that commands and the directories of the corpus have, what strangers send first.
  static var all: KeyValuePairs<String, () -> FuzzTarget> {
    [
      "native": { native }, "app-center": { appCenter }, "hits": { hits }, "gzip": { gzip }, "requests": { requests },
      "questions": { questions }, "imports": { imports }, "rows": { rows }, "packs": { packs },
      "columns": { columns }, "keys": { keys }, "segments": { segments }, "responses": { responses },
      "netlink": { netlink }, "crashes": { crashes }, "symbols": { symbols },
    ]
  }
}
