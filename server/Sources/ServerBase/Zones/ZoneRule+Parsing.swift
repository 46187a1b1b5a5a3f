extension ZoneRule {
  /// Reads a rule, or returns `nil` if it is none.
  package init?(_ text: String) {
    var scanner = Scanner(bytes: Array(text.utf8)[...])
    guard text.utf8.count <= 200, scanner.name(), let standard = scanner.clock(hours: 0...24) else { return nil }
    self.text = text
    if scanner.isAtEnd {
      (self.standard, saving) = (-standard, nil)
      return
    }
    guard scanner.name() else { return nil }
    var offset = 3_600 - standard
    if !scanner.isNext(",") {
      guard let given = scanner.clock(hours: 0...24) else { return nil }
      offset = -given
    }
    guard scanner.skip(","), let start = scanner.moment(), scanner.skip(","), let end = scanner.moment(),
      scanner.isAtEnd
    else { return nil }
    self.standard = -standard
    saving = Saving(offset: offset, start: start, end: end)
  }
}

private struct Scanner {
  var bytes: ArraySlice<UInt8>

  var isAtEnd: Bool { bytes.isEmpty }

  func isNext(_ character: Unicode.Scalar) -> Bool { bytes.first == UInt8(ascii: character) }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    bytes.removeFirst()
    return true
  }

  /// The name of a kind of time: three letters or more, or anything in angle brackets.
  mutating func name() -> Bool {
    if skip("<") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return false }
      bytes = bytes[(end + 1)...]
      return true
    }
    let letters = bytes.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    bytes = bytes[letters.endIndex...]
    return letters.count >= 3
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int? {
    let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...3).contains(digits.count) else { return nil }
    bytes = bytes[digits.endIndex...]
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return range.contains(number) ? number : nil
  }

  /// `[+-]hh[:mm[:ss]]`, in seconds.
  mutating func clock(hours: ClosedRange<Int>) -> Int? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hour = number(hours) else { return nil }
    var seconds = hour * 3_600
    if skip(":") {
      guard let minute = number(0...59) else { return nil }
      seconds += minute * 60
      if skip(":") {
        guard let second = number(0...59) else { return nil }
        seconds += second
      }
    }
    return isNegative ? -seconds : seconds
  }

  mutating func moment() -> ZoneRule.Moment? {
    guard let day = day() else { return nil }
    guard skip("/") else { return ZoneRule.Moment(day: day, time: 2 * 3_600) }
    return clock(hours: 0...167).map { ZoneRule.Moment(day: day, time: $0) }
  }

  private mutating func day() -> ZoneRule.Moment.Day? {
    if skip("J") { return number(1...365).map { .withoutLeapDay($0) } }
    guard skip("M") else { return number(0...365).map { .ofYear($0) } }
    guard let month = number(1...12), skip("."), let week = number(1...5), skip("."), let weekday = number(0...6)
    else { return nil }
    return .ofMonth(month, week: week, weekday: weekday)
  }
}
