import Questions
import ServerBase
import TernBase
import Warehouse

/// Civil hours of a zone, looked up once per quarter of an hour.
///
/// `@unchecked Sendable` because the calendar and the pages are used only while the lock is held.
final class CivilHours: @unchecked Sendable {
  /// Stands for the quarters in which clocks change.
  static let mixed = Int32.min + 1
  private static let unset = Int32.min
  private static let pageQuarters: Int64 = 4_096

  private let calendar: Locked<QuestionCalendar>
  private var pages: [Int64: Memory<Int32>] = [:]
  private var lastPage: (number: Int64, memory: Memory<Int32>)?

  init(_ calendar: QuestionCalendar) { self.calendar = Locked(calendar) }

  func withCalendar<Value>(_ body: (QuestionCalendar) throws -> Value) rethrows -> Value {
    try calendar.withLock { try body($0) }
  }

  /// The civil hour of a time, as hours since 1970-01-01T00:00.
  func hour(_ time: Int64) -> Int {
    let quarter = flooredQuotient(time, 900_000)
    return calendar.withLock { calendar in
      let known = hour(ofQuarter: quarter, calendar)
      return known == Self.mixed ? calendar.number(of: .hour, at: time) : Int(known)
    }
  }

  /// Stores the civil hours of consecutive quarters since 1970, or ``mixed``.
  func load(_ quarters: Range<Int64>, into hours: UnsafeMutablePointer<Int32>) {
    calendar.withLock { calendar in
      for (index, quarter) in quarters.enumerated() { hours[index] = hour(ofQuarter: quarter, calendar) }
    }
  }

  /// Returns true if all of some quarters since 1970 lie in some days.
  func areAll(_ quarters: ClosedRange<Int64>, in days: ClosedRange<Day>) -> Bool {
    calendar.withLock { calendar in
      quarters.allSatisfy { quarter in
        let hour = hour(ofQuarter: quarter, calendar)
        guard hour != Self.mixed else { return false }
        return days.contains(Day(number: Int(flooredQuotient(Int64(hour), 24))))
      }
    }
  }

  private func hour(ofQuarter quarter: Int64, _ calendar: QuestionCalendar) -> Int32 {
    let number = flooredQuotient(quarter, Self.pageQuarters)
    let page = lastPage?.number == number ? lastPage?.memory ?? page(number) : page(number)
    let index = Int(quarter - number * Self.pageQuarters)
    if page[index] == Self.unset {
      let start = quarter * 900_000
      let hour = calendar.number(of: .hour, at: start)
      let isConstant =
        calendar.isOffsetConstant(inQuarterOf: start) && calendar.number(of: .hour, at: start + 899_999) == hour
      page[index] = isConstant ? Int32(clamping: hour) : Self.mixed
    }
    return page[index]
  }

  private func page(_ number: Int64) -> Memory<Int32> {
    let page = pages[number] ?? Memory(count: Int(Self.pageQuarters), zero: Self.unset)
    pages[number] = page
    lastPage = (number, page)
    return page
  }

  /// The civil day of a time.
  func day(_ time: Int64) -> Int { Int(flooredQuotient(Int64(hour(time)), 24)) }

  /// The number of the unit that contains a time; see ``QuestionCalendar/number(of:at:)``.
  func number(of unit: TimeUnit, at time: Int64) -> Int {
    unit == .zonedHour
      ? calendar.withLock { $0.number(of: unit, at: time) } : Self.number(of: unit, hour: hour(time))
  }

  /// The number of the unit that contains a civil hour; not of zoned hours, which it doesn't tell apart.
  static func number(of unit: TimeUnit, hour: Int) -> Int {
    unit == .hour
      ? hour : QuestionCalendar.number(of: unit, on: Day(number: Int(flooredQuotient(Int64(hour), 24))))
  }
}

/// The days of a question.
struct DayRange {
  let days: ClosedRange<Day>
  /// Times that certainly lie in the days; zones are at most 16 hours from UTC.
  private let inner: Range<Int64>
  /// Times that may lie in the days.
  let outer: Range<Int64>

  init(_ days: ClosedRange<Day>) {
    self.days = days
    let (start, end) = (
      Int64(days.lowerBound.number) * 86_400_000, (Int64(days.upperBound.number) + 1) * 86_400_000
    )
    let margin: Int64 = 16 * 3_600_000
    inner = start + margin..<max(end - margin, start + margin)
    outer = start - margin..<end + margin
  }

  func contains(_ time: Int64, _ hours: CivilHours) -> Bool {
    if inner.contains(time) { return true }
    guard outer.contains(time) else { return false }
    return (days.lowerBound.number...days.upperBound.number).contains(hours.day(time))
  }

  /// Returns true if the chunk certainly has no row in the days.
  func excludes(_ chunk: Chunk) -> Bool {
    chunk.header.latest < outer.lowerBound || chunk.header.earliest >= outer.upperBound
  }

  /// Returns true if all rows of the chunk certainly lie in the days. Most chunks of today do: looking at their quarters
  /// of an hour spares looking at each row.
  func includes(_ chunk: Chunk, _ hours: CivilHours) -> Bool {
    let (earliest, latest) = (chunk.header.earliest, chunk.header.latest)
    if inner.contains(earliest), inner.contains(latest) { return true }
    guard outer.contains(earliest), outer.contains(latest), latest - earliest <= Self.longestLook else { return false }
    // Not only the ends: where clocks are set back over midnight, a day comes twice.
    let quarters = flooredQuotient(earliest, 900_000)...flooredQuotient(latest, 900_000)
    return hours.areAll(quarters, in: days)
  }

  /// The longest time in a chunk whose quarters are looked at, in milliseconds: three days.
  private static let longestLook: Int64 = 3 * 86_400_000
}
