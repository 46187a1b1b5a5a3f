/// Something that reads bytes from outside.
struct FuzzTarget {
  /// The name in commands, and of the directory with its corpus.
  let name: String
  /// The form of inputs that are text, by which they are changed; `nil` to change bytes only.
  let grammar: TextGrammar?
  /// Reads an input. Whatever goes wrong must trap.
  let run: (UnsafeRawBufferPointer) -> Void

  init(_ name: String, grammar: TextGrammar? = nil, run: @escaping (UnsafeRawBufferPointer) -> Void) {
    self.name = name
    self.grammar = grammar
    self.run = run
  }

  /// All targets, what strangers send first.
  static var all: [FuzzTarget] {
    [
      native, appCenter, hits, gzip, heads, questions, imports, rows, packs, columns, keys, segments, answers, netlink,
    ]
  }
}
