import Questions
import Reports
import Warehouse

extension Chart {
  /// A place on the horizontal axis.
  struct Place {
    /// The short text below the axis.
    var axis: String
    /// The text above the values of the place.
    var title: String
    /// False if the axis can do without the text.
    var isLabelled = true
    /// True if the place is not complete: it is not over, or the range has only a part of it.
    var isOpen = false
    /// The days of the place; `nil` if it is no unit of time.
    var days: ClosedRange<Day>?
  }
}

extension Chart.Place {
  /// The places of units of time, named as in answers.
  ///
  /// - Parameter range: The days of the answer; units that are not complete within them, or not over yet, are open.
  static func places(_ labels: [String], _ unit: TimeUnit, in range: ClosedRange<Day>, today: Day) -> [Chart.Place] {
    let places = labels.map { label -> Chart.Place in
      var place = Chart.Place(label, unit)
      guard let days = place.days else { return place }
      // Of the hours of today, the last one that has rows is the latest.
      let isOver = unit == .hour ? label != labels.last || days.upperBound < today : days.upperBound < today
      place.isOpen = !isOver || days.lowerBound < range.lowerBound || days.upperBound > range.upperBound
      return place
    }
    guard unit == .hour, labels.count > 48 else { return places }
    // With more than two days of hours, only the start of each day gets a label.
    return zip(labels, places).map { label, place in
      var place = place
      place.isLabelled = label.hasSuffix("T00:00")
      place.axis = Day(String(label.prefix(10)))?.shortText ?? place.axis
      return place
    }
  }

  /// The place of a day.
  init(_ day: Day, isOpen: Bool = false) {
    self.init(axis: day.shortText, title: day.weekdayText, isOpen: isOpen, days: day...day)
  }

  /// The place of a unit of time, named as in answers.
  init(_ label: String, _ unit: TimeUnit) {
    guard let day = Day(String(label.prefix(10))) else {
      self.init(axis: "", title: visible(label))
      return
    }
    switch unit {
    case .hour, .zonedHour:
      let clock = String(label.dropFirst(11))
      self.init(axis: clock, title: "\(day.weekdayText), \(clock)", days: day...day)
    case .day: self.init(day)
    case .week:
      self.init(axis: day.shortText, title: "Week of \(day.longText)", days: day...day.advanced(by: 6))
    case .month:
      let (year, month, _) = day.components
      let next = month == 12 ? Day(year: year + 1, month: 1, day: 1) : Day(year: year, month: month + 1, day: 1)
      self.init(axis: day.monthText, title: "\(day.monthText) \(year)", days: day...next.advanced(by: -1))
    }
  }
}
