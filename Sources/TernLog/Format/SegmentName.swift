/// The name of a segment file: its number in 16 hexadecimal digits, so that names sort by age, and its lane.
struct SegmentName: Hashable {
  /// The suffix of a quarantined segment's name.
  static let unreadableSuffix = ".unreadable"
  /// No log uses higher numbers.
  static let highestNumber = UInt64.max / 2

  var number: UInt64
  var lane: Lane

  /// True if counting on from this number could overflow, so the file needs another name first.
  var isStray: Bool { number > Self.highestNumber }

  /// The file name, such as `000000000000002a-normal.seg`.
  var text: String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + Self.ending(lane)
  }

  /// Parses a file name; `nil` if it is not a segment's.
  init?(_ text: String) {
    guard let number = UInt64(text.prefix(16), radix: 16),
      let lane = Lane.allCases.first(where: { text.dropFirst(16) == Self.ending($0) })
    else { return nil }
    self.init(number: number, lane: lane)
    // "+1" and "FF" parse as numbers too, but name other files.
    if self.text != text { return nil }
  }

  init(number: UInt64, lane: Lane) {
    self.number = number
    self.lane = lane
  }

  private static func ending(_ lane: Lane) -> String {
    switch lane {
    case .normal: "-normal.seg"
    case .critical: "-critical.seg"
    }
  }
}
