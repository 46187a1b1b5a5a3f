extension JSONNode {
  /// The fault of a member of this object that isn't known, with the name that was probably meant.
  func unknown(_ member: JSONTree.Member, known: [String]) -> JSONFault {
    let meant = Self.nearest(to: member.name, in: known).map { " Did you mean \"\($0)\"?" } ?? ""
    let message =
      "There is no member \"\(member.name.prefix(40))\" here.\(meant) Allowed members: \(known.joined(separator: ", "))."
    return JSONFault(message, at: "\(path).\(member.name)")
  }

  /// The known name that a name differs least from; `nil` if it differs from all in more than a third of the letters.
  private static func nearest(to name: String, in known: [String]) -> String? {
    let letters = letters(name)
    guard letters.count <= 40 else { return nil }
    let distances = known.map { (name: $0, distance: distance(letters, Self.letters($0))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }),
      best.distance <= max(1, Self.letters(best.name).count / 3)
    else { return nil }
    return best.name
  }

  /// The letters by which names are compared: `time_zone` is `timeZone`.
  private static func letters(_ name: String) -> [UInt8] { name.lowercased().utf8.filter { $0 != 0x5F && $0 != 0x2D } }

  /// The fewest letters to insert, remove, replace or swap with the next one that turn a word into another.
  private static func distance(_ word: [UInt8], _ other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in word.indices {
      var current = [row + 1]
      for column in other.indices {
        let isSame = word[row] == other[column]
        var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, word[row] == other[column - 1], word[row - 1] == other[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }
}
