package import Questions
package import TernEvents
package import Warehouse

/// A day, week or month that has ended, and the one before.
package struct MailPeriod: Sendable, Hashable {
  package let cadence: MailReport.Cadence
  /// The day on which a report about it is sent: the first after it.
  package let occasion: Day
  package let days: ClosedRange<Day>
  package let before: ClosedRange<Day>

  /// Finds the last period about which a report is to be sent; `nil` if the calendar has none.
  ///
  /// A report is due from the moment on at which the app's clock first shows its hour, or a later one, on its day. So an hour
  /// that the clock skips is made up for in the next one, and of an hour that it shows twice the first counts. What passed
  /// while no server ran is not made up for, except for the last.
  ///
  /// - Parameter hour: The hour of the report; 0 for the last period that has ended.
  package init?(_ cadence: MailReport.Cadence, hour: Int = 0, at now: Timestamp, in calendar: QuestionCalendar) {
    let (unit, span): (TimeUnit, Int) =
      switch cadence {
      // Enough for three of each, even where clocks skip a day.
      case .day: (.day, 5)
      case .week: (.week, 28)
      case .month: (.month, 100)
      }
    let time = now.millisecondsSince1970
    let (today, clock) = (calendar.day(of: time), calendar.number(of: .hour, at: time))
    // Events of the period's last minutes are on their way until then.
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

  /// The days of courses: those of the period, or the last week for a single day.
  package var courseDays: ClosedRange<Day> {
    cadence == .day ? days.upperBound.advanced(by: -6)...days.upperBound : days
  }
}

extension StoredMailReport {
  /// Returns the period about which a mail is to be sent now, with the day to note as ``sent``; `nil` if there is none.
  package func due(at now: Timestamp, in calendar: QuestionCalendar) -> (period: MailPeriod, sent: Day)? {
    guard !report.recipients.isEmpty else { return nil }
    if let period = MailPeriod(report.cadence, hour: report.hour, at: now, in: calendar), period.occasion > sent {
      return (period, period.occasion)
    }
    // A mail that someone asked for doesn't take the place of the next one.
    guard isRequested, let period = MailPeriod(report.cadence, at: now, in: calendar) else { return nil }
    return (period, sent)
  }
}

extension MailReport {
  /// Returns the day of the last mail that would have been sent by now; `nil` if there is no such time zone.
  package func lastOccasion(at now: Timestamp, timeZone: String) -> Day? {
    QuestionCalendar(timeZone).flatMap { MailPeriod(cadence, hour: hour, at: now, in: $0)?.occasion }
  }
}
