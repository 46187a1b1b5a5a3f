import Questions
import Views
import Warehouse

/// Civil hours of a zone, looked up once per quarter of an hour.
final class CivilHours {
  private static let pageQuarters: Int64 = 4_096
  private static let unset = Int32.min
  /// The clocks changed within the quarter.
  private static let mixed = Int32.min + 1

  let calendar: QuestionCalendar
  private var pages: [Int64: Memory<Int32>] = [:]
  private var lastPage: (number: Int64, memory: Memory<Int32>)?

  init(_ calendar: QuestionCalendar) { self.calendar = calendar }

  /// The civil hour of a time, as hours since 1970-01-01T00:00.
  @inline(__always)
  func hour(_ time: Int64) -> Int {
    let quarter = flooredQuotient(time, 900_000)
    let number = flooredQuotient(quarter, Self.pageQuarters)
    let page = lastPage?.number == number ? lastPage?.memory ?? page(number) : page(number)
    let known = page[Int(quarter - number * Self.pageQuarters)]
    return known > Self.mixed ? Int(known) : lookUp(time, quarter, page, Int(quarter - number * Self.pageQuarters))
  }

  private func page(_ number: Int64) -> Memory<Int32> {
    let page = pages[number] ?? Memory(count: Int(Self.pageQuarters), zero: Self.unset)
    pages[number] = page
    lastPage = (number, page)
    return page
  }

  private func lookUp(_ time: Int64, _ quarter: Int64, _ page: Memory<Int32>, _ index: Int) -> Int {
    if page[index] == Self.unset {
      let start = quarter * 900_000
      let hour = calendar.number(of: .hour, at: start)
      let isConstant =
        calendar.isOffsetConstant(inQuarterOf: start) && calendar.number(of: .hour, at: start + 899_999) == hour
      page[index] = isConstant ? Int32(clamping: hour) : Self.mixed
    }
    return calendar.number(of: .hour, at: time)
  }

  /// The civil day of a time.
  @inline(__always)
  func day(_ time: Int64) -> Int { Int(flooredQuotient(Int64(hour(time)), 24)) }

  /// The number of the unit that contains a time; see ``QuestionCalendar/number(of:at:)``.
  func number(of unit: TimeUnit, at time: Int64) -> Int {
    unit == .hour ? hour(time) : QuestionCalendar.number(of: unit, on: Day(number: day(time)))
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

  /// Returns true if all rows of the chunk certainly lie in the days.
  func includes(_ chunk: Chunk) -> Bool {
    inner.contains(chunk.header.earliest) && inner.contains(chunk.header.latest)
  }
}
