package import Alerts
import GRDB
package import Outgoing
import TernEvents
package import Warehouse

extension CatalogSchema {
  /// Version 4. `dashboard` is null for the overview. `sent` is a number of days since 1970. A notification belongs to an
  /// alert or to a report.
  static let mailReports = """
    CREATE TABLE mail_report (
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, dashboard INTEGER, cadence TEXT NOT NULL,
      hour INTEGER NOT NULL, recipients TEXT NOT NULL, sent INTEGER NOT NULL, is_requested INTEGER NOT NULL DEFAULT 0,
      author TEXT NOT NULL, created INTEGER NOT NULL
    );
    CREATE INDEX mail_report_app ON mail_report (app);
    CREATE TABLE new_notification (
      id TEXT PRIMARY KEY, alert INTEGER, report INTEGER, time INTEGER NOT NULL, message TEXT NOT NULL
    ) WITHOUT ROWID;
    INSERT INTO new_notification SELECT id, alert, NULL, time, message FROM notification;
    DROP TABLE notification;
    ALTER TABLE new_notification RENAME TO notification;
    CREATE INDEX notification_alert ON notification (alert, time);
    CREATE INDEX notification_report ON notification (report, time);
    """
}

extension AuditEntry.Action {
  static let mailReportCreated = Self("mail report created")
  static let mailReportChanged = Self("mail report changed")
  static let mailReportRequested = Self("mail report requested", isChange: false)
  static let mailReportRemoved = Self("mail report deleted")
  static let unsubscribed = Self("unsubscribed from mail report")
}

/// Reports by mail.
extension Catalog: MailReportStore {
  /// The mails of a report that are kept. They are large, since they contain all figures.
  private static let maximumMails = 20

  /// Returns all reports by mail, ordered by number.
  package func mailReports() throws -> [StoredMailReport] {
    try reading { try Row.fetchAll($0, sql: "SELECT * FROM mail_report ORDER BY id").map(Self.mailReport) }
  }

  /// Returns the reports of an app; see ``Alerts/MailReportStore/mailReports(app:)``.
  package func mailReports(app: AppID) throws -> [StoredMailReport] {
    try reading { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM mail_report WHERE app = ? ORDER BY id", arguments: [app.rawValue]
      ).map(Self.mailReport)
    }
  }

  /// Creates a report; see ``Alerts/MailReportStore/createMailReport(_:)``.
  package func createMailReport(_ report: MailReport) throws -> MailReport {
    var report = report
    (report.author, report.created) = (AuditActor.current.name, now())
    guard let app = try app(report.app) else { throw unknownApp(report.app) }
    return try writing { database in
      try Self.check(report, database)
      guard let sent = report.lastOccasion(at: report.created, zone: app.zone) else {
        throw WarehouseError(.invalid, "The report would never be due. Choose another hour.")
      }
      try checkRoom(for: .mailReports, of: report.app, database)
      try database.execute(
        sql: """
          INSERT INTO mail_report (app, dashboard, cadence, hour, recipients, sent, author, created)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          report.app.rawValue, report.subject.dashboard, report.cadence.rawValue, report.hour,
          try Self.text(report.recipients.map(\.text)), sent.number, report.author,
          report.created.millisecondsSince1970,
        ])
      report.id = database.lastInsertedRowID
      try record(.mailReportCreated, Self.subject(report), database)
      return report
    }
  }

  /// Changes a report; see ``Alerts/MailReportStore/changeMailReport(_:)``.
  package func changeMailReport(_ report: MailReport) throws -> MailReport? {
    try writing { database in
      guard let old = try Self.findReport(report.id, report.app, database) else { return nil }
      try Self.check(report, database)
      try database.execute(
        sql: "UPDATE mail_report SET dashboard = ?, cadence = ?, hour = ?, recipients = ? WHERE id = ?",
        arguments: [
          report.subject.dashboard, report.cadence.rawValue, report.hour,
          try Self.text(report.recipients.map(\.text)), report.id,
        ])
      let removed = old.recipients.filter { !report.recipients.contains($0) }.map { Destination.mail($0) }
      try cancelDeliveries(.report, report.id, to: removed, answer: "This recipient was removed.", database)
      try record(.mailReportChanged, Self.subject(report), database)
      var report = report
      (report.author, report.created) = (old.author, old.created)
      return report
    }
  }

  private static func check(_ report: MailReport, _ database: Database) throws {
    if let fault = report.fault { throw WarehouseError(.invalid, fault) }
    guard let id = report.subject.dashboard else { return }
    let isKnown = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM dashboard WHERE id = ? AND app = ?)",
      arguments: [id, report.app.rawValue])
    guard isKnown ?? false else {
      throw WarehouseError(.invalid, "This app has no dashboard \(id). Choose another one.")
    }
  }

  /// Requests a mail now; see ``Alerts/MailReportStore/requestMailReport(_:app:)``.
  package func requestMailReport(_ id: Int64, app: AppID) throws -> MailReport? {
    try writing { database in
      guard let report = try Self.findReport(id, app, database) else { return nil }
      guard !report.recipients.isEmpty else {
        throw WarehouseError(.invalid, "All recipients have unsubscribed. Add recipients to this report, or delete it.")
      }
      try database.execute(sql: "UPDATE mail_report SET is_requested = 1 WHERE id = ?", arguments: [id])
      try record(.mailReportRequested, Self.subject(report), database)
      return report
    }
  }

  /// Removes a report; see ``Alerts/MailReportStore/removeMailReport(_:app:)``.
  package func removeMailReport(_ id: Int64, app: AppID) throws -> MailReport? {
    try writing { database in
      guard let report = try Self.findReport(id, app, database) else { return nil }
      try Self.removeMailReports("id = ?", [id], database)
      try record(.mailReportRemoved, Self.subject(report), database)
      return report
    }
  }

  /// Removes reports with their history.
  static func removeMailReports(_ condition: String, _ arguments: StatementArguments, _ database: Database) throws {
    try removeNotifications("report IN (SELECT id FROM mail_report WHERE \(condition))", arguments, database)
    try database.execute(sql: "DELETE FROM mail_report WHERE \(condition)", arguments: arguments)
  }

  /// Stores that a report is done, and the mail to its recipients, in one transaction: after a crash both are there or
  /// neither, so no mail is composed twice or lost.
  ///
  /// Returns false, and stores nothing, if the report has changed or was removed since it was read.
  package func store(_ mail: OutgoingMessage, of stored: StoredMailReport, sent: Day) throws -> Bool {
    let (report, recipients) = (stored.report, stored.report.recipients)
    return try writing { database in
      try database.execute(
        sql: """
          UPDATE mail_report SET sent = ?, is_requested = 0
          WHERE id = ? AND sent = ? AND is_requested = ? AND recipients = ? AND dashboard IS ? AND cadence = ? AND hour = ?
          """,
        arguments: [
          sent.number, report.id, stored.sent.number, stored.isRequested, try Self.text(recipients.map(\.text)),
          report.subject.dashboard, report.cadence.rawValue, report.hour,
        ])
      guard database.changesCount > 0 else { return false }
      try insert(mail, of: .report, report.id, to: recipients.map { .mail($0) }, database)
      try makeRoom(.report, report.id, keeping: Self.maximumMails, database)
      return true
    }
  }

  /// Returns the latest mails of a report, latest first.
  package func mailReportNotifications(of report: Int64, limit: Int) throws -> [AlertNotification] {
    try notifications(.report, report, limit: limit)
  }

  /// Returns the subscription of a token; see ``Alerts/MailReportStore/subscription(token:)``.
  package func subscription(token: String) throws -> MailSubscription? {
    let secret = try unsubscribeSecret()
    guard let token = UnsubscribeToken(token, secret: secret) else { return nil }
    return try reading { database in
      guard let report = try Self.findReport(token.report, nil, database),
        let address = report.recipients.first(where: { token.isFor($0, secret: secret) })
      else { return .ended }
      return .active(report, address)
    }
  }

  /// Unsubscribes a recipient; see ``Alerts/MailReportStore/unsubscribe(token:)``.
  package func unsubscribe(token: String) throws -> Bool {
    let secret = try unsubscribeSecret()
    guard let token = UnsubscribeToken(token, secret: secret) else { return false }
    return try writing { database in
      guard let report = try Self.findReport(token.report, nil, database),
        let address = report.recipients.first(where: { token.isFor($0, secret: secret) })
      else { return true }
      let others = report.recipients.filter { $0 != address }
      try database.execute(
        sql: "UPDATE mail_report SET recipients = ? WHERE id = ?",
        arguments: [try Self.text(others.map(\.text)), report.id])
      try cancelDeliveries(
        .report, report.id, to: [.mail(address)], answer: "The recipient has unsubscribed.", database)
      try record(.unsubscribed, "\(Self.subject(report)), \(address.text)", database)
      return true
    }
  }

  /// The secret of unsubscribe tokens. It is generated at first use and never changes.
  func unsubscribeSecret() throws -> [UInt8] { Array(try secret(named: "unsubscribe_secret", bytes: 32).utf8) }

  private static func findReport(_ id: Int64, _ app: AppID?, _ database: Database) throws -> MailReport? {
    try Row.fetchOne(
      database, sql: "SELECT * FROM mail_report WHERE id = ?1 AND (?2 IS NULL OR app = ?2)",
      arguments: [id, app?.rawValue]
    ).map { try mailReport($0).report }
  }

  private static func subject(_ report: MailReport) -> String {
    let name = report.subject.dashboard.map { "dashboard \($0)" } ?? "overview"
    return "\(report.id) \(name) \(report.schedule), app \(report.app)"
  }

  private static func mailReport(_ row: Row) throws -> StoredMailReport {
    let cadence: String = row["cadence"]
    guard let cadence = MailReport.Cadence(rawValue: cadence) else {
      throw WarehouseError(.damaged, "A report by mail has the unknown period \(cadence).")
    }
    let report = MailReport(
      id: row["id"], app: AppID(row["app"]), subject: (row["dashboard"] as Int64?).map { .dashboard($0) } ?? .overview,
      cadence: cadence, hour: row["hour"],
      recipients: try value([String].self, row["recipients"]).compactMap { MailAddress($0) }, author: row["author"],
      created: Timestamp(millisecondsSince1970: row["created"]))
    return StoredMailReport(report, sent: Day(number: row["sent"]), isRequested: row["is_requested"])
  }
}
