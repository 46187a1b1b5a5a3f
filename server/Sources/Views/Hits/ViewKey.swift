import ServerBase

/// The key of a row while a day is being counted: up to five strings.
struct ViewKey: Hashable, BitwiseCopyable {
  private static let nothing = KnownText.empty.id
  var first: TextID
  var second: TextID
  var third: TextID
  var fourth: TextID
  var fifth: TextID

  @inline(__always)
  init(
    _ first: TextID, _ second: TextID = nothing, _ third: TextID = nothing, _ fourth: TextID = nothing,
    _ fifth: TextID = nothing
  ) {
    (self.first, self.second, self.third, self.fourth, self.fifth) = (first, second, third, fourth, fifth)
  }

  /// - Parameter parts: One to five strings.
  init(_ parts: [TextID]) {
    func part(_ index: Int) -> TextID { index < parts.count ? parts[index] : Self.nothing }
    self.init(part(0), part(1), part(2), part(3), part(4))
  }

  /// The part at an index from 0 to 4.
  subscript(index: Int) -> TextID {
    switch index {
    case 0: first
    case 1: second
    case 2: third
    case 3: fourth
    default: fifth
    }
  }

  /// The first `count` parts.
  func parts(_ count: Int) -> ArraySlice<TextID> { [first, second, third, fourth, fifth][..<count] }

  @inline(__always)
  var mixedHash: UInt64 {
    mixed(
      mixed(UInt64(first.number) << 32 | UInt64(second.number), UInt64(third.number) << 32 | UInt64(fourth.number)),
      UInt64(fifth.number))
  }

  // The derived one calls a function for each part.
  @inline(__always)
  static func == (left: ViewKey, right: ViewKey) -> Bool {
    left.first.number == right.first.number && left.second.number == right.second.number
      && left.third.number == right.third.number && left.fourth.number == right.fourth.number
      && left.fifth.number == right.fifth.number
  }

  func hash(into hasher: inout Hasher) { hasher.combine(mixedHash) }

  /// The same key with its strings renumbered.
  func map(_ body: (TextID) -> TextID) -> ViewKey {
    ViewKey(body(first), body(second), body(third), body(fourth), body(fifth))
  }
}
