import Alerts
import Foundation
import HTTPTypes
import Hummingbird
import Outgoing
import Portal
import Questions
import TernEvents
import Warehouse

/// `/api/v1/apps/{id}/alerts`: alerts for programs.
struct AlertAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  /// The maximum size of a request, in bytes: a query, destinations and some space.
  private static let maximumBytes = 64 << 10
  /// The notifications of one answer.
  private static let notifications = 100

  func add(to routes: RouteTable) {
    // Destinations are addresses of people, so that readers don't see alerts.
    routes.on(
      "/api/v1/apps/:app/alerts",
      [
        .get: .api(.permission(.edit)) { _, context in try list(context) },
        .post: .api(.permission(.edit)) { try await create($0, $1) },
      ])
    routes.on(
      "/api/v1/apps/:app/alerts/:alert",
      [.delete: .api(.permission(.edit)) { _, context in try remove(context) }])
    routes.on(
      "/api/v1/apps/:app/alerts/:alert/mute",
      [.put: .api(.permission(.edit)) { try await mute($0, $1) }])
    routes.on(
      "/api/v1/apps/:app/alerts/:alert/notifications",
      [.get: .api(.permission(.edit)) { _, context in try history(context) }])
  }

  private func list(_ context: CollectorContext) throws -> Response {
    let alerts = try catalog.alerts(app: try context.app.id)
    return try .json(encoding: ["alerts": alerts.map { AlertDescription($0, now: wallTime()) }])
  }

  private func create(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      AlertRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name, condition, destinations and, if you like, minimum_users")
    let app = try context.app.id
    let alert: Alert
    do {
      alert = try wanted.alert(app: app, segments: try context.visibleSegments(catalog))
    } catch let error as OutgoingError {
      throw APIError(status: .badRequest, code: "invalid", message: error.message, path: "$.destinations")
    } catch let error as QuestionError {
      throw APIError(status: .badRequest, code: "invalid", message: error.message, path: "$.condition")
    }
    return try Response.refusingInvalid {
      let created = try catalog.createAlert(alert)
      return try .json(
        encoding: AlertDescription(StoredAlert(created, state: AlertState(), stateText: ""), now: wallTime()),
        status: .created)
    }
  }

  private func mute(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let wanted = try await reader.object(
      MuteRequest.self, of: request, context, limit: Self.maximumBytes, members: "seconds, 0 to let it speak again")
    guard (0...Alert.longestMute).contains(wanted.seconds) else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "seconds must be from 0 to \(Alert.longestMute).",
        path: "$.seconds")
    }
    let until = wanted.seconds == 0 ? nil : wallTime() + .seconds(wanted.seconds)
    guard try catalog.muteAlert(try Self.number(context), app: try context.app.id, until: until) != nil else {
      throw APIError.unknownAlert
    }
    return Response(status: .noContent)
  }

  private func remove(_ context: CollectorContext) throws -> Response {
    guard try catalog.removeAlert(try Self.number(context), app: try context.app.id) != nil else {
      throw APIError.unknownAlert
    }
    return Response(status: .noContent)
  }

  private func history(_ context: CollectorContext) throws -> Response {
    let number = try Self.number(context)
    guard try catalog.alerts(app: try context.app.id).contains(where: { $0.alert.id == number }) else {
      throw APIError.unknownAlert
    }
    let all = try catalog.notifications(of: number, limit: Self.notifications)
    return try .json(encoding: ["notifications": all.map(NotificationDescription.init)])
  }

  private static func number(_ context: CollectorContext) throws(APIError) -> Int64 {
    guard let number = context.parameters.get("alert").flatMap({ Int64($0) }) else { throw .unknownAlert }
    return number
  }
}

extension APIError {
  static let unknownAlert = APIError(
    status: .notFound, code: "unknown_alert", message: "This app has no such alert.")
}

private struct MuteRequest: Decodable {
  let seconds: Int
}

private struct AlertRequest: Decodable {
  let name: String
  let condition: AlertCondition
  let destinations: [String]
  let minimumUsers: Int?

  private enum CodingKeys: String, CodingKey {
    case name, condition, destinations
    case minimumUsers = "minimum_users"
  }

  /// The alert, with a question that can be asked.
  func alert(app: AppID, segments: [SavedSegment]) throws -> Alert {
    if let question = condition.question { _ = try QuestionPage.alertFigure(question, segments: segments) }
    return Alert(
      app: app, name: name.trimmed, condition: condition, minimumUsers: minimumUsers,
      destinations: try destinations.map { try Destination($0) })
  }
}

private struct AlertDescription: Encodable {
  let id: Int64
  let name: String
  let condition: AlertCondition
  let text: String
  let minimumUsers: Int
  let destinations: [String]
  let status: String
  let mutedUntil: String?
  let author: String
  let changed: String

  private enum CodingKeys: String, CodingKey {
    case id, name, condition, text, destinations, status, author, changed
    case minimumUsers = "minimum_users"
    case mutedUntil = "muted_until"
  }

  init(_ stored: StoredAlert, now: Timestamp) {
    let alert = stored.alert
    (id, name, condition, text) = (alert.id, alert.name, alert.condition, alert.condition.text)
    (minimumUsers, destinations) = (alert.minimumUsers, alert.destinations.map(\.shown))
    status = stored.status(at: now).rawValue
    mutedUntil = alert.isMuted(at: now) ? alert.mutedUntil?.utcText(withMilliseconds: false) : nil
    (author, changed) = (alert.author, alert.changed.utcText(withMilliseconds: false))
  }
}

struct NotificationDescription: Encodable {
  struct Delivery: Encodable {
    let destination: String
    let status: String
    let failures: Int
    let answer: String
  }

  let id: String
  let time: String
  let event: String
  let title: String
  let text: String
  let deliveries: [Delivery]

  init(_ notification: AlertNotification) {
    let message = notification.message
    (id, time) = (message.id.description, message.time.utcText(withMilliseconds: false))
    (event, title, text) = (message.event, message.title, message.text)
    deliveries = notification.deliveries.map {
      Delivery(
        destination: $0.destination, status: $0.status.rawValue, failures: $0.failures, answer: $0.answer)
    }
  }
}
