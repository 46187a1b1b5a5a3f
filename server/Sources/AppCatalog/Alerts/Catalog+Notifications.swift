package import Alerts
import GRDB
package import Outgoing
import TernBase
package import TernEvents
import Warehouse

/// The notifications of alerts and reports by mail, and their deliveries.
extension Catalog {
  /// The notifications of an alert that are kept. Those with pending deliveries are kept as well.
  static let maximumNotifications = 200
  /// The longest answer that is kept, in bytes.
  private static let maximumAnswerBytes = 500

  /// Stores an alert's state, and the messages that follow from it, in one transaction: after a crash both are there or
  /// neither, so no breach is reported twice or lost.
  ///
  /// Returns false, and stores nothing, if the alert has changed or was removed since it was read.
  package func store(
    _ state: AlertState, of stored: StoredAlert, messages: [OutgoingMessage]
  ) throws -> Bool {
    let text = try Self.text(state)
    guard text != stored.stateText || !messages.isEmpty else { return true }
    let id = stored.alert.id
    return try writing { database in
      try database.execute(
        sql: "UPDATE alert SET state = ? WHERE id = ? AND state = ? AND changed = ?",
        arguments: [text, id, stored.stateText, stored.alert.changed.millisecondsSince1970])
      guard database.changesCount > 0 else { return false }
      for message in messages { try insert(message, of: .alert, id, to: stored.alert.destinations, database) }
      if !messages.isEmpty { try makeRoom(.alert, id, keeping: Self.maximumNotifications, database) }
      return true
    }
  }

  /// The origin of a notification, as the name of its column.
  enum NotificationSource: String {
    case alert, report
  }

  /// Inserts a notification with a pending delivery to each destination.
  func insert(
    _ message: OutgoingMessage, of source: NotificationSource, _ id: Int64?, to destinations: [Destination],
    _ database: Database
  ) throws {
    let time = message.time.millisecondsSince1970
    try database.execute(
      sql: "INSERT INTO notification (id, \(source.rawValue), time, message) VALUES (?, ?, ?, ?)",
      arguments: [message.id.description, id, time, try Self.text(message)])
    for destination in destinations {
      try database.execute(
        sql: "INSERT INTO delivery (notification, destination, next) VALUES (?, ?, ?)",
        arguments: [message.id.description, destination.text, time])
    }
  }

  /// Ends pending deliveries to some destinations.
  func cancelDeliveries(
    _ source: NotificationSource, _ id: Int64, to destinations: [Destination], answer: String, _ database: Database
  ) throws {
    for destination in destinations {
      try database.execute(
        sql: """
          UPDATE delivery SET next = NULL, answer = ? WHERE next IS NOT NULL AND destination = ?
          AND notification IN (SELECT id FROM notification WHERE \(source.rawValue) = ?)
          """, arguments: [answer, destination.text, id])
    }
  }

  /// Removes all but the latest notifications, and those with pending deliveries.
  func makeRoom(
    _ source: NotificationSource, _ id: Int64, keeping count: Int, _ database: Database
  ) throws {
    let column = source.rawValue
    let old = try String.fetchAll(
      database,
      sql: """
        SELECT id FROM notification WHERE \(column) = ?1 AND NOT EXISTS
          (SELECT 1 FROM delivery WHERE notification = notification.id AND next IS NOT NULL)
        AND id NOT IN (SELECT id FROM notification WHERE \(column) = ?1 ORDER BY time DESC, id DESC LIMIT ?2)
        """, arguments: [id, count])
    for id in old { try Self.removeNotifications("id = ?", [id], database) }
  }

  /// Removes notifications with their deliveries.
  static func removeNotifications(
    _ condition: String, _ arguments: StatementArguments, _ database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM delivery WHERE notification IN (SELECT id FROM notification WHERE \(condition))",
      arguments: arguments)
    try database.execute(sql: "DELETE FROM notification WHERE \(condition)", arguments: arguments)
  }

  /// Returns the deliveries that are due, the longest due first. If several go from one alert or report to one
  /// destination, only the first is due, so that messages arrive in order, and a receiver that is down is tried with one.
  ///
  /// - Parameter isWanted: Returns false for deliveries to leave out.
  package func dueDeliveries(
    now: Timestamp, limit: Int, where isWanted: (Int64, Destination) -> Bool = { _, _ in true }
  ) throws -> [PendingDelivery] {
    let secret = try unsubscribeSecret()
    return try reading { database in
      var due: [PendingDelivery] = []
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT d.id, d.destination, d.failures, n.message, n.report FROM delivery d JOIN notification n ON n.id = d.notification
          WHERE d.next <= ?1 AND NOT EXISTS (
            SELECT 1 FROM delivery e JOIN notification m ON m.id = e.notification
            WHERE e.next IS NOT NULL AND e.id < d.id AND e.destination = d.destination AND m.alert IS n.alert
              AND m.report IS n.report)
          ORDER BY d.next, d.id
          """, arguments: [now.millisecondsSince1970])
      while due.count < limit, let row = try rows.next() {
        let destination = try Destination(row["destination"] as String)
        guard isWanted(row["id"], destination) else { continue }
        var token: String?
        if case .mail(let address) = destination, let report = row["report"] as Int64? {
          token = UnsubscribeToken.make(report, address, secret: secret)
        }
        due.append(
          PendingDelivery(
            id: row["id"], destination: destination, message: try Self.value(OutgoingMessage.self, row["message"]),
            failures: row["failures"], unsubscribeToken: token))
      }
      return due
    }
  }

  /// Returns the number of deliveries that are not done, by kind of destination.
  package func waitingDeliveries() throws -> [String: Int] {
    try reading { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT substr(destination, 1, instr(destination, ':') - 1) AS kind, count(*) AS waiting
          FROM delivery WHERE next IS NOT NULL GROUP BY kind
          """)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0["kind"], $0["waiting"]) })
    }
  }

  /// Stores that a message was delivered.
  package func finishDelivery(_ id: Int64, answer: String) throws {
    try writing { database in
      try database.execute(
        sql: "UPDATE delivery SET next = NULL, is_delivered = 1, answer = ? WHERE id = ?",
        arguments: [answer.prefix(utf8Bytes: Self.maximumAnswerBytes), id])
    }
  }

  /// Stores that an attempt has failed.
  ///
  /// - Parameter next: The time of the next attempt; `nil` to give up.
  package func failDelivery(_ id: Int64, answer: String, next: Timestamp?) throws {
    try writing { database in
      try database.execute(
        sql: "UPDATE delivery SET failures = failures + 1, next = ?, answer = ? WHERE id = ?",
        arguments: [next?.millisecondsSince1970, answer.prefix(utf8Bytes: Self.maximumAnswerBytes), id])
    }
  }

  /// Returns the latest notifications of an alert, latest first.
  package func notifications(of alert: Int64, limit: Int) throws -> [AlertNotification] {
    try notifications(.alert, alert, limit: limit)
  }

  func notifications(_ source: NotificationSource, _ id: Int64, limit: Int) throws -> [AlertNotification] {
    try reading { database in
      try Row.fetchAll(
        database,
        sql: "SELECT * FROM notification WHERE \(source.rawValue) = ? ORDER BY time DESC, id DESC LIMIT ?",
        arguments: [id, limit]
      ).map { row in
        AlertNotification(
          source: id, message: try Self.value(OutgoingMessage.self, row["message"]),
          deliveries: try Self.deliveries(of: row["id"], database))
      }
    }
  }

  static func deliveries(of notification: String, _ database: Database) throws -> [AlertNotification.Delivery] {
    try Row.fetchAll(
      database, sql: "SELECT * FROM delivery WHERE notification = ? ORDER BY id", arguments: [notification]
    ).map(delivery)
  }

  private static func delivery(_ row: Row) -> AlertNotification.Delivery {
    let text: String = row["destination"]
    let isDelivered: Bool = row["is_delivered"]
    return AlertNotification.Delivery(
      destination: (try? Destination(text))?.shown ?? "",
      status: row["next"] as Int64? != nil
        ? .waiting : isDelivered ? .delivered : .failed, failures: row["failures"], answer: row["answer"])
  }

  /// The secret from which the secrets of webhooks are derived. It is generated at first use and never changes.
  package func webhookSecret() throws -> [UInt8] {
    Array(try secret(named: "webhook_secret", bytes: 32).utf8)
  }
}
