package import JSON
import Outgoing
import TernEvents
import Warehouse

extension MailReport {
  /// The members that people set.
  package static let members = schedule + [recipientsMember]

  fileprivate static let schedule: [JSONMember<MailReport>] = [
    .optional("dashboard", \.subject.dashboard, number, isWritten: false)
      .described("The number of a dashboard; the overview without it."),
    .required("every", \.cadence, .choice).described("Sent every day, on Mondays or on the first of the month."),
    .required("hour", \.hour, .integer(0...23)).described("The hour, in the app's time zone."),
  ]

  private static let number = JSONCodec<Int>.integer(0...Schema.largestInteger).mapped({ Int64($0) }, { Int($0) })

  private static let recipientsMember = JSONMember<MailReport>(name: "recipients", isRequired: true) {
    node, report throws(JSONFault) in
    report.recipients = try node.list(0...1_000) { node throws(JSONFault) in
      let text = try node.text()
      do throws(OutgoingError) { return try MailAddress.parse(text) } catch { throw node.fault(error.message) }
    }
  } encode: {
    .texts($0.recipients.map(\.text))
  } schema: {
    .list(.text.described("An email address."), 1...maximumRecipients)
  }
}

/// A report by mail as it is shown, with its name, which is that of its dashboard.
package struct ShownMailReport: Sendable {
  package var report: MailReport
  package let name: String

  package init(_ report: MailReport, name: String) { (self.report, self.name) = (report, name) }

  /// Its members, in the order of their names.
  package static let members: [JSONMember<ShownMailReport>] =
    (MailReport.schedule.lifted(\.report) + [
      .shown("app", .count) { .integer($0.report.app.rawValue) },
      .shown("author", .text.described("The account or token that created it.")) { .text($0.report.author) },
      .shown("created", .time) { .time($0.report.created) },
      .shown("id", .count) { .integer($0.report.id) },
      .shown("name", .text) { .text($0.name) },
      // Those who have unsubscribed may leave none, which people can't set.
      .shown("recipients", .list(.text.described("Without those who have unsubscribed."))) {
        .texts($0.report.recipients.map(\.text))
      },
    ]).sorted { $0.name < $1.name }
}
