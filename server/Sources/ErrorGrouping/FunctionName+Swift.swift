/// Additions of Swift's compiler to names.
extension FunctionName {
  /// Texts before the name of a function that the compiler made of another one.
  private static let prefixes: [StaticString] = [
    "specialized ", "merged ", "partial apply forwarder for ", "partial apply for ", "partial apply ", "@objc ",
    "dynamic ",
    "@nonobjc ", "static ", "class ", "implicit ", "curry thunk of ", "dispatch thunk of ", "override ", "virtual ",
    "non-virtual thunk to ", "virtual thunk to ", "async function pointer to ", "default override of ",
  ]

  static func swift(_ name: Piece) -> Piece {
    var name = name
    // `(2) suspend resume partial function for play()`
    if name.starts("("), let partial = name.find(" partial function for ") { name = name[partial.upperBound...] }
    for marker: StaticString in ["specialization <", "signature specialization <"] {
      while name.starts("generic ") || name.starts("function "), name.has(marker), let of = name.find("> of ") {
        name = name[of.upperBound...]
      }
    }
    if name.starts("protocol witness for "), let end = name.find(" in conformance ") {
      name = name[..<end.lowerBound].without("protocol witness for ")
    }
    var isChanged = true
    var count = 0
    while isChanged, count < 16 {
      isChanged = false
      count += 1
      for prefix in prefixes where name.starts(prefix) {
        name = name.without(prefix)
        isChanged = true
      }
      // `closure #1 (Swift.Int) -> () in Player.play()`
      for prefix: StaticString in [
        "closure #", "implicit closure #", "autoclosure #", "defer #", "default argument ",
        "variable initialization expression of ",
        "local function ", "property wrapper backing initializer of ",
      ] where name.starts(prefix) {
        if let place = outerIn(name) { name = name[place...] } else { name = name.without(prefix) }
        isChanged = true
      }
    }
    for word: StaticString in ["reabstraction thunk", "outlined ", "thunk for "] where name.starts(word) { return [] }
    return name
  }

  /// Returns what follows the first ` in ` outside of parentheses.
  private static func outerIn(_ name: Piece) -> Int? {
    var depth = 0
    for index in name.indices {
      switch name[index] {
      case 0x28, 0x5B, 0x7B: depth += 1
      case 0x29, 0x5D, 0x7D: depth -= 1
      case 0x20 where depth <= 0 && name[index...].starts(" in "): return index + 4
      default: break
      }
    }
    return nil
  }
}
