/// The numbers in one ``ViewTexts`` of the strings of another, each looked up once.
final class Renumbering {
  private static let isMissing = UInt32.max
  private static let isUnknown = UInt32.max - 1

  private let other: ViewTexts
  private let texts: ViewTexts
  private let numbers: UnsafeMutableBufferPointer<UInt32>

  init(from other: ViewTexts, to texts: ViewTexts) {
    (self.other, self.texts) = (other, texts)
    numbers = .allocate(capacity: other.count)
    numbers.initialize(repeating: Self.isUnknown)
    guard other === texts else { return }
    for number in numbers.indices { numbers[number] = UInt32(number) }
  }

  deinit { numbers.deallocate() }

  /// The key with its strings renumbered; strings that are new are added.
  @inline(__always)
  func own(_ key: ViewKey) -> ViewKey {
    ViewKey(own(key.first), own(key.second), own(key.third), own(key.fourth), own(key.fifth))
  }

  /// The key with its strings renumbered, or `nil` if one of them is new.
  func known(_ key: ViewKey) -> ViewKey? {
    var isKnown = true
    let own = key.map { id in
      let index = Int(id.number)
      if numbers[index] == Self.isUnknown {
        numbers[index] = texts.known(other.bytes(id))?.number ?? Self.isMissing
      }
      if numbers[index] == Self.isMissing { isKnown = false }
      return TextID(number: numbers[index])
    }
    return isKnown ? own : nil
  }

  @inline(__always)
  private func own(_ id: TextID) -> TextID {
    let index = Int(id.number)
    if numbers[index] >= Self.isUnknown { numbers[index] = texts.id(other.bytes(id)).number }
    return TextID(number: numbers[index])
  }
}
