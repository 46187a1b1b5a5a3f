import Alerts
import AppCatalog
import Logging
import Portal
import Questions
import Reports
import ServiceLifecycle
import TernEvents
import Warehouse
import WarehouseSQLite

/// Composes reports by mail while the server runs. ``AlertService`` sends them, with all other messages.
struct MailReportService: Service {
  /// The time between two evaluations. Most only compare the clock with the hours of the reports.
  static let interval: Duration = .seconds(15)
  /// The time until a report that can't be composed is tried again.
  static let pause: Duration = .seconds(300)

  let catalog: Catalog
  let evaluator: MailReportEvaluator
  let logger: Logger
  var wallTime: @Sendable () -> Timestamp = WallClock.system
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  func run() async throws {
    await cancelWhenGracefulShutdown { await evaluate() }
  }

  /// Composes one report after the other, because people who wait for reports come first.
  private func evaluate() async {
    // The last failure of each report and the time of the next attempt, so that the same one is logged only once and its
    // questions aren't asked all the time.
    var failures: [Int64: (reason: String, next: Timestamp)] = [:]
    while !Task.isCancelled {
      do {
        for stored in try catalog.mailReports() {
          let (id, now) = (stored.report.id, wallTime())
          // A clock that was set back must not stop it.
          if let next = failures[id]?.next, now < next, next.since(now) <= Self.pause { continue }
          let failure = await failure(of: stored)
          guard !Task.isCancelled else { return }
          if let failure, failures[id]?.reason != failure {
            logger.error("The report by mail \(id) can't be composed: \(failure)")
          }
          failures[id] = failure.map { ($0, wallTime() + Self.pause) }
        }
      } catch {
        logger.error("The reports by mail can't be read from the catalog: \(error)")
      }
      try? await sleep(Self.interval)
    }
  }

  private func failure(of stored: StoredMailReport) async -> String? {
    do {
      try await evaluator.evaluate(stored, now: wallTime())
      return nil
    } catch {
      return ServerFailure.reason(of: error)
    }
  }
}

/// Reads the figures of reports from a warehouse.
struct MailReportComposer: Sendable {
  /// The time for one question. A sentence in the mail replaces an answer that takes longer.
  static let questionDeadline: Duration = .seconds(20)
  /// The time for all questions of a mail.
  static let deadline: Duration = .seconds(120)

  let catalog: Catalog
  let reader: WarehouseReader
  let uptime: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// Composes a report; `nil` if its dashboard is gone.
  func compose(_ report: MailReport, _ app: App, _ period: MailPeriod, now: Timestamp) async throws
    -> MailReportContent?
  {
    let writer = MailReportWriter(segments: try catalog.segments(app: app.id))
    let (dashboards, end) = (try catalog.dashboards(app: app.id), uptime() + Self.deadline)
    // Runs on the threads of reports, at their low priority.
    return try await withTaskExecutorPreference(reader.executor) {
      try await writer.content(
        report, of: app, dashboards: dashboards, period, from: reader, now: now,
        ask: QuestionAsker { try await answer($0, app, now, before: end) })
    }
  }

  private func answer(
    _ question: Question, _ app: App, _ now: Timestamp, before end: Duration
  ) async throws -> AnsweredQuestion {
    let today = QuestionCalendar(app.zone).day(of: now.millisecondsSince1970)
    let resolved = question.resolved(today: today)
    let rest = min(Self.questionDeadline, end - uptime())
    guard rest > .zero else { throw Self.tooSlow }
    let result = try await withThrowingTaskGroup(of: QuestionResult?.self) { [reader, sleep] group in
      defer { group.cancelAll() }
      group.addTask {
        try await reader.answer(resolved, app: app.id, calendar: QuestionCalendar(app.zone), today: today)
      }
      group.addTask {
        try await sleep(rest)
        return nil
      }
      return try await group.next() ?? nil
    }
    guard let result else { throw Self.tooSlow }
    guard let answered = AnsweredQuestion(resolved, result, milliseconds: 0) else {
      throw WarehouseError(.damaged, "The answer doesn't match the question.")
    }
    return answered
  }

  private static let tooSlow = QuestionError(
    "The answer takes too long for a mail. Open the page instead.", at: "$", code: .tooSlow)
}
