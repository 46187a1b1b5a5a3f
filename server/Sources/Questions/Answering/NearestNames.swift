/// The names that are most like one that doesn't exist.
package enum NearestNames {
  /// The most names that are suggested.
  private static let limit = 3
  /// Longer names are compared by their beginning.
  private static let longest = 100

  /// Returns the names that may have been meant, the most similar first: equal but for upper and lower case, longer ones that
  /// begin alike (a version and its builds), then those with few letters that differ.
  package static func nearest(to name: String, among known: [String]) -> [String] {
    let wanted = folded(name)
    guard !wanted.isEmpty else { return [] }
    let allowed = min(2, max(1, wanted.count / 3))
    let found = known.compactMap { name -> (rank: Int, name: String)? in
      let letters = folded(name)
      if letters == wanted { return (0, name) }
      if letters.starts(with: wanted) { return (1, name) }
      guard abs(letters.count - wanted.count) <= allowed else { return nil }
      let distance = distance(letters, wanted)
      return distance <= allowed ? (1 + distance, name) : nil
    }
    return found.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.prefix(limit).map(\.name)
  }

  private static func folded(_ name: String) -> [Unicode.Scalar] {
    Array(name.lowercased().unicodeScalars.prefix(longest))
  }

  /// The number of letters to insert, remove, replace or exchange with their neighbour.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var (beforeLast, last) = ([Int](), Array(0...right.count))
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
