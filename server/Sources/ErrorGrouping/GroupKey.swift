/// The group that an error belongs to, from its signature, the app's rules, and what symbols say.
package struct GroupKey: Hashable, Sendable {
  /// The maximum number of frames that decide: enough to tell callers of a helper apart, and few enough that the ways to one
  /// crash stay together.
  static let maximumFrames = 2

  /// The hash of the facts that decide; never 0.
  package let value: Int64
  /// The function, or image and offset, that names the group in lists: the first of the app's own frames.
  package let place: String

  /// Computes the key.
  ///
  /// - Parameters:
  ///   - rules: The frames to skip. If no other is left, they are not skipped.
  ///   - functions: Returns the functions at a position, the innermost inlined one first, or `nil` if there are no symbols.
  package init(
    _ signature: Signature, rules: GroupingRules = .none, functions: (Position) -> [SymbolizedFunction]? = { _ in nil }
  ) {
    let facts = signature.facts
    guard facts.fingerprint.isEmpty else {
      value = groupHash(["fingerprint", facts.fingerprint])
      place = facts.fingerprint
      return
    }
    let resolved = Resolved(facts, GroupingRules.Matcher(rules), functions)
    var texts = resolved.frames.map(\.key)
    place = texts.first ?? ""
    if facts.isEndless { texts.sort() }
    let types = [facts.type, facts.cause].map { type in
      facts.name(ofType: type, functions).map { SignatureFacts.cleaned(TypeName.normalized($0)) } ?? type
    }
    value = groupHash(
      [facts.isCrash ? "crash" : "error", types[0], types[1], facts.detail, facts.shape, resolved.failure]
        + texts)
  }
}
