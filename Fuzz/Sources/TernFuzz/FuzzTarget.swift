/// Something that reads bytes from outside.
struct FuzzTarget {
  /// The form of inputs that are text, by which they are changed; `nil` to change bytes only.
  let grammar: TextGrammar?
  /// Reads an input. Whatever goes wrong must trap.
  let run: (UnsafeRawBufferPointer) -> Void

  init(grammar: TextGrammar? = nil, run: @escaping (UnsafeRawBufferPointer) -> Void) {
    self.grammar = grammar
    self.run = run
  }

  /// All targets by the names that commands and the directories of the corpus have, what strangers send first.
  static var all: KeyValuePairs<String, () -> FuzzTarget> {
    [
      "native": { native }, "app-center": { appCenter }, "hits": { hits }, "gzip": { gzip }, "heads": { heads },
      "questions": { questions }, "imports": { imports }, "rows": { rows }, "packs": { packs },
      "columns": { columns }, "keys": { keys }, "segments": { segments }, "answers": { answers },
      "netlink": { netlink },
    ]
  }
}
