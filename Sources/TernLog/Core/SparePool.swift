/// Empty files that were segments and will be again.
///
/// On some file systems creating a file takes up to a millisecond after many were removed (ext4 avoids the inodes of
/// recently removed files), and the caller of `append` would wait. Renaming a spare takes microseconds.
struct SparePool {
  static let prefix = "spare-"
  private static let capacity = 8
  /// No log uses higher numbers; counting on from them could overflow.
  private static let highestNumber = Int.max / 2

  private var names: [String] = []
  /// The number of reserved names.
  private var expected = 0
  private var nextNumber = 0

  /// Adds a file found at opening; false if it should be removed: there are enough, or its name is not a spare's.
  mutating func adopt(_ name: String) -> Bool {
    let number = Int(name.dropFirst(Self.prefix.count))
    guard let number, (0..<Self.highestNumber).contains(number), names.count < Self.capacity else { return false }
    nextNumber = max(nextNumber, number + 1)
    names.append(name)
    return true
  }

  /// Reserves a name for one more spare; `nil` if there are enough.
  mutating func reserve() -> String? {
    guard names.count + expected < Self.capacity else { return nil }
    expected += 1
    nextNumber &+= 1
    return "\(Self.prefix)\(nextNumber - 1)"
  }

  /// Ends a reservation, whether the file is in place or not.
  mutating func finish(_ name: String, isInPlace: Bool) {
    expected -= 1
    if isInPlace { names.append(name) }
  }

  mutating func take() -> String? { names.popLast() }
}

extension FileSystem {
  /// Empties a file and keeps it under another name, or removes it if none is given or that fails.
  ///
  /// Returns true if it was kept. It is emptied first, so that a crash leaves no event under a spare's name.
  func retire(_ path: String, keepAs spare: String?) throws(FileError) -> Bool {
    if let spare, let file = try? open(path, .update) {
      defer { close(file) }
      if (try? truncate(file, to: 0)) != nil, (try? rename(path, to: spare)) != nil { return true }
    }
    try remove(path)
    return false
  }
}
