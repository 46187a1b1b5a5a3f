package import Outgoing
package import TernEvents
package import Warehouse

/// A report that is sent by mail after each day, week or month.
package struct MailReport: Sendable, Hashable {
  /// The most recipients of a report.
  package static let maximumRecipients = 20

  /// The figures that a report contains.
  package enum Subject: Sendable, Hashable {
    /// The figures of the overview.
    case overview
    /// The figures of a dashboard's cards.
    case dashboard(Int64)

    /// The number of the dashboard; `nil` for the overview.
    package var dashboard: Int64? {
      get { if case .dashboard(let id) = self { id } else { nil } }
      set { self = newValue.map { .dashboard($0) } ?? .overview }
    }
  }

  /// The period of the figures, and with it the days on which the report is sent: every day, on Mondays, or on the
  /// first of the month.
  package enum Cadence: String, Sendable, Hashable, CaseIterable, Codable {
    case day, week, month

    /// The days of the report in words.
    package var text: String {
      switch self {
      case .day: "every day"
      case .week: "on Mondays"
      case .month: "on the first of the month"
      }
    }
  }

  /// The number; 0 for a report that isn't stored yet.
  package var id: Int64
  package var app: AppID
  package var subject: Subject
  package var cadence: Cadence
  /// The hour at which it is sent, in the app's time zone, 0 to 23.
  package var hour: Int
  /// The recipients. If all have unsubscribed, there are none, and nothing is sent.
  package var recipients: [MailAddress]
  /// The account or token that created it.
  package var author: String
  package var created: Timestamp

  package init(
    id: Int64 = 0, app: AppID, subject: Subject = .overview, cadence: Cadence = .day, hour: Int = 7,
    recipients: [MailAddress] = [], author: String = "", created: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    (self.id, self.app, self.subject) = (id, app, subject)
    (self.cadence, self.hour, self.recipients) = (cadence, hour, recipients)
    (self.author, self.created) = (author, created)
  }

  /// The schedule in words, such as `on Mondays at 07:00`.
  package var schedule: String { "\(cadence.text) at \(hour < 10 ? "0" : "")\(hour):00" }

  /// Returns why the report can't be stored, as a sentence that says what to do; `nil` if it can.
  package var fault: String? {
    guard (0...23).contains(hour) else { return "The hour must be from 0 to 23." }
    guard !recipients.isEmpty else { return "Name at least one recipient, such as someone@example.org." }
    let addresses = Set(recipients.map { $0.text.lowercased() })
    guard recipients.count <= Self.maximumRecipients, addresses.count == recipients.count else {
      return "Name at most \(Self.maximumRecipients) recipients, each once."
    }
    return nil
  }
}

/// A report and the state of its mails.
package struct StoredMailReport: Sendable, Hashable {
  package var report: MailReport
  /// The ``MailPeriod/occasion`` of the last mail: only later ones are still to be sent. A new report starts with the
  /// last one before its creation, so that its first mail is the next.
  package var sent: Day
  /// True if someone has asked for the report now.
  package var isRequested: Bool

  package init(_ report: MailReport, sent: Day, isRequested: Bool) {
    (self.report, self.sent, self.isRequested) = (report, sent, isRequested)
  }
}
