import Alerts
import AppCatalog
import Outgoing
import TernEvents
import Warehouse

/// Evaluates alerts, and stores each one's new state together with the messages to send.
struct AlertEvaluator: Sendable {
  /// Observes what an alert is about.
  typealias Observe = @Sendable (Alert, AlertState, _ now: Timestamp) async throws -> AlertObservation

  let catalog: Catalog
  let observe: Observe
  /// Makes identifiers of messages.
  let newID: @Sendable (Timestamp) -> UniqueID
  /// The address of the portal in links; `nil` if unknown.
  let portal: @Sendable () -> String?
  /// Returns the groups of crashes behind a figure, those with the most users first; none for other figures.
  var crashes: @Sendable (Alert, PeriodFigure, _ now: Timestamp) async throws -> [CrashNotice] = { _, _, _ in [] }

  /// Returns what is usual for a figure, and what may have caused it.
  var context: @Sendable (Alert, PeriodFigure, _ now: Timestamp) async throws -> FigureContext = { _, _, _ in
    FigureContext()
  }
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// The time for reading the context: without it, a breach is reported all the same.
  private static let contextPatience: Duration = .seconds(5)

  /// Evaluates one alert, and returns the number of messages that follow.
  ///
  /// A crash before the transaction changes nothing: the next evaluation observes the same. A crash after it leaves the
  /// messages pending.
  @discardableResult
  func evaluate(_ stored: StoredAlert, now: Timestamp) async throws -> Int {
    guard !stored.alert.isMuted(at: now) else { return 0 }
    return try await handle(try await observe(stored.alert, stored.state, now), stored, now: now)
  }

  /// Stores that an alert couldn't be evaluated, and returns the number of messages to send because of it.
  @discardableResult
  func fail(_ stored: StoredAlert, reason: String, now: Timestamp) async throws -> Int {
    try await handle(.failure(reason: reason), stored, now: now)
  }

  private func handle(_ observation: AlertObservation, _ stored: StoredAlert, now: Timestamp) async throws -> Int {
    let alert = stored.alert
    var machine = AlertMachine(alert, stored.state)
    let events = machine.handle(observation, now: now)
    let app = try alert.app.flatMap { try catalog.app($0)?.name }
    var messages: [OutgoingMessage] = []
    for event in events {
      var (crashes, context) = ([CrashNotice](), FigureContext())
      // A breach is reported even if its crashes can't be read in time.
      if let figure = event.breach {
        crashes = (try? await self.crashes(alert, figure, now)) ?? []
        context = await contextInTime(alert, figure, now)
      }
      messages.append(
        AlertMessage.make(
          event, of: alert, app: app, crashes: crashes, context: context, id: newID(now), at: now, portal: portal()))
    }
    return try catalog.store(machine.state, of: stored, messages: messages) ? messages.count : 0
  }

  private func contextInTime(_ alert: Alert, _ figure: PeriodFigure, _ now: Timestamp) async -> FigureContext {
    await withTaskGroup(of: FigureContext?.self) { group in
      group.addTask { [context] in try? await context(alert, figure, now) }
      group.addTask { [sleep] in
        try? await sleep(Self.contextPatience)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first ?? FigureContext()
    }
  }
}
