import Alerts
import Foundation
import HTTPTypes
import Hummingbird
import Outgoing
import Portal
import Questions
import ServerBase
import TernEvents
import Warehouse

/// The HTTP API of alerts: `/api/v1/apps/{id}/alerts`, and `/api/v1/alerts` for those about the server.
struct AlertAPIRoutes: Sendable {
  let reader: BodyReader
  let catalog: any CollectorCatalog
  let wallTime: @Sendable () -> Timestamp

  /// The maximum size of a request, in bytes: a query, destinations and some room.
  private static let maximumBytes = 64 << 10
  /// The most notifications of one answer.
  private static let notifications = 100

  func add(to routes: RouteTable) {
    // Destinations are people's addresses, so those who may only read don't see alerts.
    for scope in AlertScope.allCases {
      let (path, right) = ("/api/v1\(scope.path)", scope.requirement)
      routes.on(
        path,
        [
          .get: .api(right) { _, context in try list(try scope.app(context)?.id) },
          .post: .api(right) { try await create($0, $1, try scope.app($1)?.id) },
        ])
      routes.on(
        "\(path)/:alert", [.delete: .api(right) { _, context in try remove(context, try scope.app(context)?.id) }])
      routes.on("\(path)/:alert/mute", [.put: .api(right) { try await mute($0, $1, try scope.app($1)?.id) }])
      routes.on(
        "\(path)/:alert/notifications",
        [.get: .api(right) { _, context in try history(context, try scope.app(context)?.id) }])
    }
  }

  private func list(_ app: AppID?) throws -> Response {
    let alerts = try catalog.alerts(app: app)
    return try .json(encoding: ["alerts": alerts.map { AlertDescription($0, now: wallTime()) }])
  }

  private func create(_ request: Request, _ context: CollectorContext, _ app: AppID?) async throws -> Response {
    let wanted = try await reader.object(
      AlertRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name, condition, destinations and, optionally, minimumUsers")
    let alert: Alert
    do {
      alert = try wanted.alert(app: app, segments: app == nil ? [] : try context.visibleSegments(catalog))
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

  private func mute(_ request: Request, _ context: CollectorContext, _ app: AppID?) async throws -> Response {
    let wanted = try await reader.object(
      MuteRequest.self, of: request, context, limit: Self.maximumBytes, members: "seconds, where 0 unmutes the alert")
    guard (0...Alert.longestMute).contains(wanted.seconds) else {
      throw APIError(
        status: .badRequest, code: "invalid", message: "seconds must be from 0 to \(Alert.longestMute).",
        path: "$.seconds")
    }
    let until = wanted.seconds == 0 ? nil : wallTime() + .seconds(wanted.seconds)
    guard try catalog.muteAlert(try Self.number(context), app: app, until: until) != nil else {
      throw APIError.unknownAlert
    }
    return Response(status: .noContent)
  }

  private func remove(_ context: CollectorContext, _ app: AppID?) throws -> Response {
    guard try catalog.removeAlert(try Self.number(context), app: app) != nil else {
      throw APIError.unknownAlert
    }
    return Response(status: .noContent)
  }

  private func history(_ context: CollectorContext, _ app: AppID?) throws -> Response {
    let number = try Self.number(context)
    guard try catalog.alerts(app: app).contains(where: { $0.alert.id == number }) else {
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
    status: .notFound, code: "unknown_alert", message: "There is no alert with this number.")
}

private struct MuteRequest: Decodable {
  let seconds: Int
}

private struct AlertRequest: Decodable {
  let name: String
  let condition: AlertCondition
  let destinations: [String]
  let minimumUsers: Int?

  /// Returns the alert; throws if its question can't be asked or a destination is invalid.
  func alert(app: AppID?, segments: [SavedSegment]) throws -> Alert {
    if let question = condition.question { _ = try QuestionPage.alertFigure(question, segments: segments) }
    return Alert(
      app: app, name: name.trimmed, condition: condition, minimumUsers: minimumUsers,
      destinations: try destinations.map { try Destination($0) })
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
