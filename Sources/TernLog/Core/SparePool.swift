/// Empty files that were segments and will be again.
///
/// On some file systems making a file takes up to a millisecond after many were removed (ext4 avoids the inodes of files
/// removed lately), and it is the caller of `append` who waits. Renaming a spare takes microseconds.
struct SparePool {
  static let prefix = "spare-"
  private static let capacity = 8
  /// Higher ones were not given by a log, and counting on from them might overflow.
  private static let highestNumber = Int.max / 2

  private var names: [String] = []
  /// Names that were given out for files on their way here.
  private var expected = 0
  private var nextNumber = 0

  /// Takes in a file found at opening; false when it should be removed: there are enough, or its name is not ours.
  mutating func adopt(_ name: String) -> Bool {
    let number = Int(name.dropFirst(Self.prefix.count))
    guard let number, (0..<Self.highestNumber).contains(number), names.count < Self.capacity else { return false }
    nextNumber = max(nextNumber, number + 1)
    names.append(name)
    return true
  }

  /// A name for one more spare; `nil` when there are enough.
  mutating func reserve() -> String? {
    guard names.count + expected < Self.capacity else { return nil }
    expected += 1
    nextNumber &+= 1
    return "\(Self.prefix)\(nextNumber - 1)"
  }

  /// Ends a reservation, with the file in place or without.
  mutating func finish(_ name: String, isInPlace: Bool) {
    expected -= 1
    if isInPlace { names.append(name) }
  }

  mutating func take() -> String? { names.popLast() }
}

extension FileSystem {
  /// Empties a file and keeps it under another name, or removes it when that is not wanted or fails.
  ///
  /// Returns whether it was kept. Emptied first: whenever the process dies, no event is left under a spare's name.
  func retire(_ path: String, keepAs spare: String?) throws(FileError) -> Bool {
    if let spare, let file = try? open(path, .update) {
      defer { close(file) }
      if (try? truncate(file, to: 0)) != nil, (try? rename(path, to: spare)) != nil { return true }
    }
    try remove(path)
    return false
  }
}
