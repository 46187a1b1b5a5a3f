package import Questions
package import ServerBase
package import TernEvents
package import Warehouse

/// A day, week or month that has ended, and the one before.
package struct MailPeriod: Sendable, Hashable {
  package let cadence: MailReport.Cadence
  /// The day on which its report is due: the first after the period.
  package let occasion: Day
  package let days: ClosedRange<Day>
  package let before: ClosedRange<Day>

  /// Finds the latest period whose report is due; `nil` if the calendar has none.
  ///
  /// A report is due as soon as the app's clock shows its hour, or a later one, on its day. So if the clock skips the
  /// hour, the report is due in the next one, and if it shows the hour twice, in the first. After a downtime only the
  /// latest report is due.
  ///
  /// - Parameter hour: The hour of the report; 0 for the last period that has ended.
  package init?(_ cadence: MailReport.Cadence, hour: Int = 0, at now: Timestamp, in calendar: QuestionCalendar) {
    let (unit, span): (TimeUnit, Int) =
      switch cadence {
      // These spans contain three periods, even where clocks skip a day.
      case .day: (.day, 5)
      case .week: (.week, 28)
      case .month: (.month, 100)
      }
    let time = now.millisecondsSince1970
    let (today, clock) = (calendar.day(of: time), calendar.number(of: .hour, at: time))
    // Until then, the events of the period's last minutes are still arriving.
    let settled = calendar.day(of: (now - EndedPeriods.settling).millisecondsSince1970)
    let begun = calendar.numbers(of: unit, in: today.advanced(by: -span)...today).filter {
      let first = QuestionCalendar.firstDay(of: unit, number: $0)
      return first <= settled && first.number * 24 + hour <= clock
    }
    guard begun.count >= 3, let current = begun.last else { return nil }
    func daysOf(_ number: Int) -> ClosedRange<Day> {
      let first = QuestionCalendar.firstDay(of: unit, number: number)
      return first...QuestionCalendar.firstDay(of: unit, number: number + 1).advanced(by: -1)
    }
    self.cadence = cadence
    occasion = QuestionCalendar.firstDay(of: unit, number: current)
    (days, before) = (daysOf(begun[begun.count - 2]), daysOf(begun[begun.count - 3]))
  }

  /// The days of sparklines: those of the period, or the week up to it if it is a day.
  package var sparklineDays: ClosedRange<Day> {
    cadence == .day ? days.upperBound.advanced(by: -6)...days.upperBound : days
  }
}

extension StoredMailReport {
  /// Returns the period whose report is to be mailed now, with the day to store as ``sent``; `nil` if there is none.
  package func due(at now: Timestamp, in calendar: QuestionCalendar) -> (period: MailPeriod, sent: Day)? {
    guard !report.recipients.isEmpty else { return nil }
    if let period = MailPeriod(report.cadence, hour: report.hour, at: now, in: calendar), period.occasion > sent {
      return (period, period.occasion)
    }
    // A requested mail doesn't replace the next regular one.
    guard isRequested, let period = MailPeriod(report.cadence, at: now, in: calendar) else { return nil }
    return (period, sent)
  }
}

extension MailReport {
  /// Returns the last day on which the report was due.
  package func lastOccasion(at now: Timestamp, zone: ZoneRules) -> Day? {
    MailPeriod(cadence, hour: hour, at: now, in: QuestionCalendar(zone))?.occasion
  }
}
