/// The version of an app as events name it, `VERSION (BUILD)`, in the order of releases.
///
/// Parts between dots compare as numbers of any length where both are numbers, and missing ones are 0. Any other text
/// comes after numbers, by its bytes. A suffix after `-` comes before the same version without one, and what follows a `+`
/// is ignored. Equal versions are in the order of their builds.
public struct AppVersion: Sendable, Hashable {
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
  /// The parts after the first `-`; `nil` if there is none.
  private let suffix: [Part]?
  private let build: [Part]
  /// True if the app did not say its version.
  public let isEmpty: Bool

  /// Parses a version; any text is one.
  public init(_ label: String) {
    let (version, build) = Self.split(Array(label.utf8))
    let core = version.prefix { $0 != UInt8(ascii: "+") }
    let main = core.prefix { $0 != UInt8(ascii: "-") }
    release = Self.parts(main)
    suffix = main.count == core.count ? nil : core.dropFirst(main.count + 1).split(separator: 0x2E).map { Part($0) }
    self.build = Self.parts(build)
    isEmpty = label.isEmpty
  }

  /// Returns true if this version is a later release than another one. A version without a build stands for all of its
  /// builds, and an empty version is neither later nor earlier than any.
  public func isLater(than other: AppVersion) -> Bool {
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

extension AppVersion: Comparable {
  /// Orders versions as releases, the empty one first.
  public static func < (left: AppVersion, right: AppVersion) -> Bool {
    if left.isEmpty || right.isEmpty { return left.isEmpty && !right.isEmpty }
    if precedes(left, right) { return true }
    return left.isSameRelease(as: right) && left.isBuiltBefore(right)
  }
}
