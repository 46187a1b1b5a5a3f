/// The version of an app as events name it, `VERSION (BUILD)`, in the order of releases.
///
/// Parts between dots compare as numbers of any length where both are numbers, and missing ones are 0. Any other text
/// comes after numbers, by its bytes. What follows a `-`, `_` or space, or begins with a letter after a digit, is a
/// pre-release: `1.0b2` and `1.0-rc10` come before `1.0`. Its letters and its numbers compare apart, so that `rc10` comes
/// after `rc2`. What follows a `+` is ignored. Equal versions are in the order of their builds.
package struct AppVersion: Sendable, Hashable {
  private enum Part: Sendable, Hashable, Comparable {
    /// Decimal digits without leading zeros.
    case number([UInt8])
    case text([UInt8])

    init(_ bytes: some Collection<UInt8>) {
      let isNumber = !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) }
      self = isNumber ? .number(Array(bytes.drop { $0 == 0x30 })) : .text(Array(bytes))
    }

    static func < (left: Part, right: Part) -> Bool {
      switch (left, right) {
      case (.number(let left), .number(let right)):
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
      case (.number, .text): true
      case (.text, .number): false
      case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
      }
    }
  }

  /// The parts without zeros at the end.
  private let release: [Part]
  /// The letters and numbers of a pre-release, in lowercase; `nil` for a release.
  private let suffix: [Part]?
  private let build: [Part]
  /// True if the app did not say its version.
  package let isEmpty: Bool

  /// Parses a version; any text is one.
  package init(_ label: String) {
    let (version, build) = Self.split(Array(label.utf8))
    let core = version.prefix { $0 != UInt8(ascii: "+") }
    let end = Self.endOfRelease(core)
    release = Self.parts(core[..<end])
    suffix = end == core.endIndex ? nil : Self.runs(core[end...])
    self.build = Self.parts(build)
    isEmpty = label.isEmpty
  }

  /// Returns true if this version is a later release than another one. A version without a build stands for all of its
  /// builds, and an empty version is neither later nor earlier than any.
  package func isLater(than other: AppVersion) -> Bool {
    guard !isEmpty, !other.isEmpty else { return false }
    if Self.precedes(other, self) { return true }
    return other.isSameRelease(as: self) && !build.isEmpty && !other.build.isEmpty && other.isBuiltBefore(self)
  }

  private static func split(_ bytes: [UInt8]) -> (version: ArraySlice<UInt8>, build: ArraySlice<UInt8>) {
    guard bytes.last == UInt8(ascii: ")"), let open = bytes.lastIndex(of: UInt8(ascii: "(")),
      open == 0 || bytes[open - 1] == UInt8(ascii: " ")
    else { return (bytes[...], []) }
    return (bytes[..<max(0, open - 1)], bytes[(open + 1)..<(bytes.count - 1)])
  }

  private static let separators = Set("-_ ".utf8)

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// The place where a pre-release begins; the end if there is none.
  private static func endOfRelease(_ core: ArraySlice<UInt8>) -> Int {
    core.indices.first { index in
      separators.contains(core[index])
        || index > core.startIndex && isDigit(core[index - 1]) && isLetter(core[index])
    } ?? core.endIndex
  }

  /// The runs of digits and of other bytes between separators and dots.
  private static func runs(_ bytes: ArraySlice<UInt8>) -> [Part] {
    bytes.split { separators.contains($0) || $0 == UInt8(ascii: ".") }.flatMap { part -> [Part] in
      var runs: [[UInt8]] = []
      for byte in part.map({ (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }) {
        if let last = runs.last?.last, isDigit(last) == isDigit(byte) {
          runs[runs.count - 1].append(byte)
        } else {
          runs.append([byte])
        }
      }
      return runs.map { Part($0) }
    }
  }

  private static func parts(_ bytes: ArraySlice<UInt8>) -> [Part] {
    var parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Part($0) }
    while let last = parts.last, last == .number([]) || last == .text([]) { parts.removeLast() }
    return parts
  }

  private static func precedes(_ left: AppVersion, _ right: AppVersion) -> Bool {
    if left.release != right.release { return left.release.lexicographicallyPrecedes(right.release) }
    switch (left.suffix, right.suffix) {
    case (nil, nil), (nil, _?): return false
    case (_?, nil): return true
    case (let left?, let right?): return left.lexicographicallyPrecedes(right)
    }
  }

  private func isSameRelease(as other: AppVersion) -> Bool { release == other.release && suffix == other.suffix }

  private func isBuiltBefore(_ other: AppVersion) -> Bool { build.lexicographicallyPrecedes(other.build) }
}

extension AppVersion {
  /// Returns true if a version comes before another one in lists; those that are equal as versions are ordered by their
  /// bytes.
  package static func isOrdered(_ left: String, before right: String) -> Bool {
    let (first, second) = (AppVersion(left), AppVersion(right))
    return first == second ? left.utf8.lexicographicallyPrecedes(right.utf8) : first < second
  }
}

extension AppVersion: Comparable {
  /// Orders versions as releases, the empty one first.
  package static func < (left: AppVersion, right: AppVersion) -> Bool {
    if left.isEmpty || right.isEmpty { return left.isEmpty && !right.isEmpty }
    if precedes(left, right) { return true }
    return left.isSameRelease(as: right) && left.isBuiltBefore(right)
  }
}
