package import JSON
import Outgoing
package import TernEvents
import Warehouse

extension Alert {
  /// The members that people set. A request that lacks the number of users gets that of the condition.
  package static let members: [JSONMember<Alert>] = [
    .required("condition", \.condition, AlertCondition.codec), destinationsMember,
    .optional("minimumUsers", \.minimumUsers, .integer(0...1_000_000_000))
      .missing { $0.minimumUsers = $0.condition.standardMinimum }
      .described("The number of users that a period needs for a decision."),
    .required("name", \.name, .name),
  ]

  /// A change may give current destinations as they are shown, since their secret parts aren't.
  private static let destinationsMember = JSONMember<Alert>(name: "destinations", isRequired: true) {
    node, alert throws(JSONFault) in
    let texts = try node.list(0...1_000) { node throws(JSONFault) in try node.text() }
    do throws(OutgoingError) {
      alert.destinations = try Destination.parse(texts, keeping: alert.destinations)
    } catch {
      throw node.fault(error.message)
    }
  } encode: { alert in
    .texts(alert.destinations.map(\.shown))
  } schema: {
    .list(
      .text.described(
        Destination.forms(quote: "`")
          + ", without the paths of addresses in answers, since they may be secret. In a change, "
          + "a current one as it is shown keeps it."), 1...maximumDestinations)
  }
}

/// An alert as it is shown at some time, on which it depends whether it is muted.
package struct ShownAlert: Sendable {
  package var stored: StoredAlert
  package let now: Timestamp

  package init(_ stored: StoredAlert, now: Timestamp) { (self.stored, self.now) = (stored, now) }

  private var mutedUntil: Timestamp? { stored.alert.isMuted(at: now) ? stored.alert.mutedUntil : nil }

  /// Its members, in the order of their names.
  package static let members: [JSONMember<ShownAlert>] =
    (Alert.members.lifted(\.stored.alert) + [
      .shown("id", .count) { .integer($0.stored.alert.id) },
      .shownIfAny("app", .count.described("Absent in alerts of the server.")) { shown in
        shown.stored.alert.app.map { .integer($0.rawValue) }
      },
      .shown("author", .text.described("The account or token that made the last change.")) {
        .text($0.stored.alert.author)
      },
      .shown("changed", .time) { .time($0.stored.alert.changed) },
      .shownIfAny("failure", .text.described("The reason why the alert can't be evaluated; only while it can't.")) {
        $0.stored.state.failure.map { .text($0.reason) }
      },
      .shownIfAny("mutedUntil", .time) { $0.mutedUntil.map { .time($0) } },
      .shown("status", .choice(StoredAlert.Status.self)) { .text($0.stored.status(at: $0.now).rawValue) },
      .shown("text", .text) { .text($0.stored.alert.condition.text) },
      .shownIfAny(
        "unit",
        .choice(FigureUnit.allCases.filter { $0 != .number }.map(\.rawValue))
          .described("The unit of the condition's `limit`: percent or seconds; absent if it has none.")
      ) { shown in
        shown.stored.alert.condition.limitUnit.flatMap { $0 == .number ? nil : .text($0.rawValue) }
      },
    ]).sorted { $0.name < $1.name }
}

extension AlertNotification {
  package static let members: [JSONMember<AlertNotification>] = [
    .shown(
      "deliveries",
      .list(
        .object([
          "answer": .text, "destination": .text, "failures": .count, "status": .choice(AlertNotification.Status.self),
        ]))
    ) { notification in
      .array(
        notification.deliveries.map { delivery in
          .object([
            ("answer", .text(delivery.answer)), ("destination", .text(delivery.destination)),
            ("failures", .integer(delivery.failures)), ("status", .text(delivery.status.rawValue)),
          ])
        })
    },
    .shown("event", .text) { .text($0.message.event) },
    .shown("id", .uuid) { .text($0.message.id.description) },
    .shown("text", .text) { .text($0.message.text) },
    .shown("time", .time) { .time($0.message.time) },
    .shown("title", .text) { .text($0.message.title) },
  ]
}
