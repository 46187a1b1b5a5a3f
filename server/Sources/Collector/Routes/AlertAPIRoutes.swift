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
        "\(path)/:alert",
        [
          .get: .api(right) { _, context in try show(context, try scope.app(context)?.id) },
          .put: .api(right) { try await change($0, $1, try scope.app($1)?.id) },
          .delete: .api(right) { try remove($0, $1, try scope.app($1)?.id) },
        ])
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

  private func show(_ context: CollectorContext, _ app: AppID?) throws -> Response {
    try tagged(try stored(try Self.number(context), app))
  }

  /// Finds an alert; throws ``APIError`` 404 if the app has none with this number.
  private func stored(_ number: Int64, _ app: AppID?) throws -> StoredAlert {
    guard let found = try catalog.alerts(app: app).first(where: { $0.alert.id == number }) else {
      throw APIError.unknownAlert
    }
    return found
  }

  private func tagged(_ stored: StoredAlert, status: HTTPResponse.Status = .ok) throws -> Response {
    .tagged(
      try Response.bytes(encoding: AlertDescription(stored, now: wallTime())), state: Self.version(stored.alert),
      status: status)
  }

  /// The bytes that the tag is made of: the time of the last change, which each change moves on. The status changes
  /// without one.
  private static func version(_ alert: Alert) -> [UInt8] {
    Array("alert \(alert.id) \(alert.changed.millisecondsSince1970)".utf8)
  }

  private func create(_ request: Request, _ context: CollectorContext, _ app: AppID?) async throws -> Response {
    let wanted = try await body(request, context)
    return try refusingInvalid {
      let created = try catalog.createAlert(
        try wanted.alert(app: app, segments: try segments(context, app)))
      return try tagged(StoredAlert(created, state: AlertState(), stateText: ""), status: .created)
    }
  }

  private func change(_ request: Request, _ context: CollectorContext, _ app: AppID?) async throws -> Response {
    let (wanted, number, condition) = (
      try await body(request, context), try Self.number(context), Precondition(request)
    )
    return try refusingInvalid {
      let segments = try segments(context, app)
      let changed = try catalog.atomically {
        let old = try stored(number, app)
        try condition.require { Self.version(old.alert) }
        _ = try catalog.changeAlert(try wanted.alert(app: app, segments: segments, replacing: old.alert))
        return try stored(number, app)
      }
      return try tagged(changed)
    }
  }

  private func body(_ request: Request, _ context: CollectorContext) async throws -> AlertRequest {
    try await reader.object(
      AlertRequest.self, of: request, context, limit: Self.maximumBytes,
      members: "name, condition, destinations and, optionally, minimumUsers")
  }

  private func segments(_ context: CollectorContext, _ app: AppID?) throws -> [SavedSegment] {
    app == nil ? [] : try context.visibleSegments(catalog)
  }

  /// Answers 400 if a member of the request can't be used.
  private func refusingInvalid(_ body: () throws -> Response) throws -> Response {
    try Response.refusingInvalid {
      do {
        return try body()
      } catch let error as OutgoingError {
        throw APIError(status: .badRequest, code: "invalid", message: error.message, path: "$.destinations")
      } catch let error as QuestionError {
        throw APIError(status: .badRequest, code: "invalid", message: error.message, path: "$.condition")
      }
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

  private func remove(_ request: Request, _ context: CollectorContext, _ app: AppID?) throws -> Response {
    let (number, condition) = (try Self.number(context), Precondition(request))
    try catalog.atomically {
      try condition.require { Self.version(try stored(number, app).alert) }
      guard try catalog.removeAlert(number, app: app) != nil else { throw APIError.unknownAlert }
    }
    return Response(status: .noContent)
  }

  private func history(_ context: CollectorContext, _ app: AppID?) throws -> Response {
    let number = try stored(try Self.number(context), app).alert.id
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
  ///
  /// - Parameter old: The alert that it replaces, whose destinations may be given as they are shown.
  func alert(app: AppID?, segments: [SavedSegment], replacing old: Alert? = nil) throws -> Alert {
    if condition != old?.condition, let question = condition.question {
      _ = try QuestionPage.alertFigure(question, segments: segments)
    }
    return Alert(
      id: old?.id ?? 0, app: app, name: name.trimmed, condition: condition, minimumUsers: minimumUsers,
      destinations: try Destination.parse(destinations, keeping: old?.destinations ?? []))
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
