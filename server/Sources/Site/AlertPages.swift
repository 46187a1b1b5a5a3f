import Alerts
import Answering
import HTTP
import HTTPTypes
import Hummingbird
import Outgoing
import Portal
import Questions
import ServerBase
import TernEvents
import Warehouse

/// The forms of the pages of alerts: `/apps/ID/alerts`, and `/alerts` for those about the server.
struct AlertPages: SettingsForms {
  let site: Site

  /// The time for which the button mutes an alert.
  private static let mute: Duration = .seconds(8 * 3_600)
  /// The time that a test message has: the server looks for messages every few seconds, and an attempt takes 30.
  private static let patience: Duration = .seconds(45)

  func add(to routes: RouteTable) {
    for scope in AlertScope.allCases {
      routes.on(scope.path, [.post: .page(scope.requirement) { try await change($0, $1, try scope.app($1)) }])
    }
    let server = AlertScope.server
    routes.on(
      server.path,
      [.get: .page(server.requirement) { try await show($0, $1, nil, FormResult(outcome: $0.parameters["done"])) }])
  }

  private func show(
    _ request: Request, _ context: CollectorContext, _ app: App?, form fields: [String: String]? = nil,
    _ result: FormResult
  ) async throws -> Response {
    guard app == nil else {
      return try await site.open(AlertsPage.self, request, context, fields: fields, result)
    }
    let page = try AlertsPage(
      site.visit(request, context), from: site.catalog, request.parameters, form: fields, now: site.wallTime(),
      result: result)
    return .html(page.html(), status: result.message == nil ? .ok : .badRequest)
  }

  private func change(_ request: Request, _ context: CollectorContext, _ app: App?) async throws -> Response {
    let fields = try await site.reader.form(request, context)
    let number = fields["id"].flatMap { Int64($0) } ?? 0
    let form = AlertForm(fields.values)
    // The other actions post no fields of the form.
    let shown = ["create", "change", "preview", "test"].contains(fields["do"]) ? fields.values : nil
    do {
      let done: String
      switch fields["do"] {
      case "preview": return try await show(request, context, app, form: shown, FormResult())
      case "test": return try await show(request, context, app, form: shown, try await test(form, context, app, number))
      case "create":
        _ = try site.catalog.createAlert(try alert(form, context, app))
        done = "created"
      case "change":
        try site.catalog.atomically {
          guard let old = try site.catalog.alerts(app: app?.id).first(where: { $0.alert.id == number })?.alert else {
            throw APIError.unknownAlert
          }
          guard form.isUpToDate(with: old) else {
            throw WarehouseError(.invalid, "Someone has changed this alert since you opened the form. Open it again.")
          }
          _ = try site.catalog.changeAlert(try alert(form, context, app, replacing: old))
        }
        done = "saved"
      case "mute":
        guard try site.catalog.muteAlert(number, app: app?.id, until: site.wallTime() + Self.mute) != nil else {
          throw APIError.unknownAlert
        }
        done = "saved"
      case "unmute":
        guard try site.catalog.muteAlert(number, app: app?.id, until: nil) != nil else { throw APIError.unknownAlert }
        done = "saved"
      case "delete":
        guard try site.catalog.removeAlert(number, app: app?.id) != nil else { throw APIError.unknownAlert }
        done = "deleted"
      default: throw APIError.unknownAction
      }
      return Redirect(path: "\(app.map { "/apps/\($0.id)" } ?? "")/alerts?done=\(done)").response
    } catch let error as WarehouseError where error.code == .invalid {
      return try await show(request, context, app, form: shown, FormResult(message: error.message))
    } catch let error as QuestionError {
      return try await show(request, context, app, form: shown, FormResult(message: error.message))
    } catch let error as OutgoingError {
      return try await show(request, context, app, form: shown, FormResult(message: error.message))
    }
  }

  private func alert(
    _ form: AlertForm, _ context: CollectorContext, _ app: App?, replacing old: Alert? = nil
  ) throws -> Alert {
    let condition = app == nil ? .serverProblem : try form.condition(replacing: old?.condition)
    if condition != old?.condition, let question = condition.question {
      _ = try QuestionPage.alertFigure(question, segments: try context.visibleSegments(site.catalog))
    }
    return Alert(
      id: old?.id ?? 0, app: app?.id, name: form.name(condition), condition: condition,
      minimumUsers: try form.minimumUsers(), destinations: try destinations(form, context, app, old))
  }

  private func destinations(
    _ form: AlertForm, _ context: CollectorContext, _ app: App?, _ old: Alert?
  ) throws -> [Destination] {
    try AlertDestinations(app: app?.id, reader: try context.visitor.name, from: site.catalog)
      .chosen(form, replacing: old?.destinations ?? [])
  }

  /// Sends a test message to the chosen destinations, and says what became of it. Nothing is saved.
  private func test(
    _ form: AlertForm, _ context: CollectorContext, _ app: App?, _ number: Int64
  ) async throws -> FormResult {
    let old = try site.catalog.alerts(app: app?.id).first { $0.alert.id == number }?.alert
    let destinations = try destinations(form, context, app, old)
    guard (1...Alert.maximumDestinations).contains(destinations.count) else {
      throw WarehouseError(.invalid, "Choose 1 to \(Alert.maximumDestinations) destinations for the test.")
    }
    var generator = SystemRandomNumberGenerator()
    let now = site.wallTime()
    let message = OutgoingMessage(
      id: UniqueID.timeOrdered(at: now, using: &generator), time: now, event: OutgoingMessage.testEvent,
      title: "\(app.map { AlertText.short($0.name) } ?? "Tern"): a test message",
      text: "\(try context.visitor.name) tries where alerts go. Nothing is wrong.")
    let outcomes = try await TestMessage.send(
      message, to: destinations, in: site.catalog, patience: Self.patience, sleep: site.data.clocks.sleep)
    let words = outcomes.map { "\($0.destination): \($0.isAccepted ? "accepted" : "failed"), \($0.answer)" }
      .joined(separator: "; ")
    return outcomes.allSatisfy(\.isAccepted) ? FormResult(done: words) : FormResult(message: words)
  }
}
