package import ServerBase
package import Warehouse

/// The hours, days, weeks and months of one time zone. Not thread-safe.
package final class QuestionCalendar {
  private let zone: ZoneCalendar

  package init(_ rules: ZoneRules) { zone = ZoneCalendar(rules) }

  /// Creates the calendar of a zone by the data of this computer, or returns `nil` if they have no zone with this name.
  package convenience init?(_ identifier: String) {
    guard let rules = ZoneDatabase.system.zone(identifier) else { return nil }
    self.init(rules)
  }

  /// The civil day of a time, in milliseconds since 1970.
  package func day(of milliseconds: Int64) -> Day { Day(number: zone.day(of: milliseconds)) }

  /// The number of the unit that contains a time: days or Mondays since 1970-01-01, months since year 0, or civil hours
  /// since 1970-01-01T00:00.
  ///
  /// When clocks are set back, two hours have the same number: their clocks show the same. Zoned hours have two.
  package func number(of unit: TimeUnit, at milliseconds: Int64) -> Int {
    let day = zone.day(of: milliseconds)
    switch unit {
    case .hour: return day * 24 + zone.hour(of: milliseconds)
    case .zonedHour:
      let offset = Int(flooredQuotient(zone.offset(at: milliseconds), 60_000))
      return ZonedHour(hour: day * 24 + zone.hour(of: milliseconds), offset: offset).number
    case .day, .week, .month: return Self.number(of: unit, on: Day(number: day))
    }
  }

  /// Returns the name of a zoned hour so many days before another one: that at which clocks show the same, with the same
  /// offset if there is one. Where clocks skip it, no row has that name.
  package func label(ofZonedHour label: String, daysBefore distance: Int) -> String {
    guard let day = Day(String(label.prefix(10))), let clock = Int(label.dropFirst(11).prefix(2)) else { return label }
    let hour = (day.number - distance) * 24 + clock
    func found(_ offset: Int) -> ZonedHour {
      ZonedHour(number: number(of: .zonedHour, at: (Int64(hour) * 60 - Int64(offset)) * 60_000))
    }
    let same = ZonedHour(hour: hour, offset: ZonedHour.offset(of: label))
    let there = found(same.offset)
    return [there, found(there.offset), same].first { $0.hour == hour }?.label ?? label
  }

  /// Returns true if clocks don't change within the quarter of an hour that begins at a time.
  package func isOffsetConstant(inQuarterOf milliseconds: Int64) -> Bool {
    zone.offset(at: milliseconds) == zone.offset(at: milliseconds + 899_999)
  }

  /// The number of the unit that contains a day; for hours, its first.
  package static func number(of unit: TimeUnit, on day: Day) -> Int {
    switch unit {
    case .hour: return day.number * 24
    case .zonedHour: return ZonedHour(hour: day.number * 24, offset: 0).number
    case .day: return day.number
    // 1970-01-01 was a Thursday: its week began three days before.
    case .week: return Int(flooredQuotient(Int64(day.number + 3), 7))
    case .month:
      let (year, month, _) = day.components
      return year * 12 + month - 1
    }
  }

  package static func firstDay(of unit: TimeUnit, number: Int) -> Day {
    switch unit {
    case .hour: Day(number: Int(flooredQuotient(Int64(number), 24)))
    case .zonedHour: firstDay(of: .hour, number: ZonedHour(number: number).hour)
    case .day: Day(number: number)
    case .week: Day(number: number * 7 - 3)
    case .month:
      Day(
        year: Int(flooredQuotient(Int64(number), 12)), month: number - Int(flooredQuotient(Int64(number), 12)) * 12 + 1,
        day: 1)
    }
  }

  /// Returns true if a day, week or month is over and some days have all of it.
  package static func isWhole(_ unit: TimeUnit, _ number: Int, in days: ClosedRange<Day>, today: Day) -> Bool {
    let (first, last) = (firstDay(of: unit, number: number), firstDay(of: unit, number: number + 1).advanced(by: -1))
    return days.lowerBound <= first && last <= days.upperBound && last < today
  }

  /// The name of a unit in answers: its first day, or `2026-10-31T14:00`.
  package static func label(of unit: TimeUnit, number: Int) -> String {
    if unit == .zonedHour { return ZonedHour(number: number).label }
    let day = firstDay(of: unit, number: number)
    guard unit == .hour else { return day.description }
    let hour = number - day.number * 24
    return "\(day)T\(hour < 10 ? "0" : "")\(hour):00"
  }

  /// The numbers of all units in a range of days. Hours and dates that the zone skips are not among them.
  package func numbers(of unit: TimeUnit, in days: ClosedRange<Day>) -> [Int] {
    guard unit == .hour || unit == .zonedHour else {
      let numbers = Self.number(of: unit, on: days.lowerBound)...Self.number(of: unit, on: days.upperBound)
      return unit == .day ? numbers.filter { zone.bounds(of: $0) != nil } : Array(numbers)
    }
    var numbers: Set<Int> = []
    for day in days {
      guard let bounds = zone.bounds(of: day.number) else { continue }
      // Every zone's clock changes by whole quarters of an hour.
      for time in stride(from: bounds.lowerBound, to: bounds.upperBound, by: 900_000)
      where zone.day(of: time) == day.number {
        numbers.insert(number(of: unit, at: time))
      }
    }
    return numbers.sorted()
  }
}
