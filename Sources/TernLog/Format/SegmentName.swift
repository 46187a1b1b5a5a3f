/// The name of a segment file: its number in 16 hexadecimal digits, so that names sort by age, and its lane.
struct SegmentName: Hashable {
  /// What a quarantined segment's name ends with.
  static let unreadableSuffix = ".unreadable"
  /// What the name of a segment that is being rewritten ends with.
  static let temporarySuffix = ".tmp"

  /// Numbers above are of no log that ever ran: somebody put the file there.
  static let highestNumber = UInt64.max / 2

  var number: UInt64
  var lane: Lane

  /// Counting on from this number might overflow, so the file needs another name first.
  var isStray: Bool { number > Self.highestNumber }

  /// The file name, such as `000000000000002a-normal.seg`.
  var text: String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + Self.ending(lane)
  }

  /// Reads a file name; `nil` when it is not a segment's.
  init?(_ text: String) {
    guard let number = UInt64(text.prefix(16), radix: 16),
      let lane = Lane.allCases.first(where: { text.dropFirst(16) == Self.ending($0) })
    else { return nil }
    self.init(number: number, lane: lane)
    // Numbers are also read from "+1" and "FF", which would name another file.
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
