import Foundation
import Ingest
import Questions
import ServerBase
import TernBase
import TernEvents
import Warehouse

@testable import Reports
@testable import WarehouseSQLite
@testable import WarehouseUpkeep

/// Stores batches in a warehouse, seals days, reads every report, answers questions and verifies everything.
enum WarehouseCheck {
  /// Stores the batches of two days.
  static func run(_ days: [[IncomingBatch]]) {
    let done = DispatchSemaphore(value: 0)
    Task {
      do { try await store(days) } catch { fatalError("A warehouse failed: \(error)") }
      done.signal()
    }
    done.wait()
  }

  /// The directory of warehouses, which the script deletes.
  static let directory =
    ProcessInfo.processInfo.environment["TERN_FUZZ_DIRECTORY"]
    ?? "\(FileManager.default.temporaryDirectory.path)/tern-fuzz-\(ProcessInfo.processInfo.processIdentifier)"

  private static func store(_ days: [[IncomingBatch]]) async throws {
    // Each in a directory of its own: connections of the one before may still be closing.
    let path = "\(directory)/\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let catalog = StoredViews.catalog()
    let warehouse = try SQLiteWarehouse(
      directory: path, catalog: catalog, configuration: WarehouseConfiguration())
    for (moment, batches) in zip(FuzzTarget.moments, days) {
      for batch in batches { _ = try await warehouse.commit(batch, app: StoredViews.app) }
      try await warehouse.sealDays(of: StoredViews.views, now: moment)
    }
    try await check(warehouse)
  }

  /// Reads everything that a warehouse can tell of the two days, and closes it.
  static func check(_ warehouse: SQLiteWarehouse) async throws {
    try await warehouse.flush()
    try await readReports(of: warehouse.reader)
    try await ask(warehouse.reader)
    let problems = warehouse.failures.problems
    guard problems.isEmpty else { fatalError("Work on rows failed: \(problems)") }
    let report = try await warehouse.reader.verify()
    guard report.isClean else { fatalError("Counts are wrong: \(report.differences) \(report.problems)") }
    try await warehouse.close()
  }

  private static func readReports(of reader: WarehouseReader) async throws {
    let now = FuzzTarget.moments[1] + .seconds(3_600)
    let registry = ReportRegistry.standard
    let subjects: [(ReportSubject, [ReportDefinition])] =
      [(.app(StoredViews.app, zone: ZoneRules("Europe/Berlin")!), registry.app)]
      + StoredViews.views.map { (.view($0), registry.view) }
    for (subject, reports) in subjects {
      for report in reports {
        let parameters = ["event": "Play", "group": "1", "error": "1", "from": "2026-02-01", "to": "2026-02-03"]
        do throws(ReportError) {
          let request = try ReportRequest(report.name, of: subject, parameters: parameters, now: now)
          try await write(request, reader)
        } catch {
          // There is no such error or event.
          continue
        }
      }
    }
  }

  private static func write(_ request: ReportRequest, _ reader: WarehouseReader) async throws(ReportError) {
    do {
      let report = try await request.report(from: reader)
      for format in ReportFormat.allCases { _ = try report.text(format) }
    } catch let error as ReportError {
      throw error
    } catch {
      fatalError("The report \(request.report.name) failed: \(error)")
    }
  }

  private static let questions: [(Question.Kind, String)] = [
    (
      .query,
      #"{"metrics": ["users", "events", "session_duration_p50"], "dimensions": ["event", "country"], "#
        + #""compare": "previous_period"}"#
    ),
    (.funnel, #"{"steps": [{"event": "Play"}, {"screen": "Home"}], "breakdown": "version"}"#),
    (.retention, "{}"), (.paths, "{}"), (.lifecycle, "{}"), (.stickiness, "{}"), (.persons, "{}"),
  ]

  private static func ask(_ reader: WarehouseReader) async throws {
    for (kind, json) in questions {
      let question: Question
      do { question = try Question(kind, json: Array(json.utf8)) } catch { fatalError("\(json): \(error)") }
      try await answer(question, reader)
    }
  }

  /// Answers a question over the two days, and writes the answer in every format.
  static func answer(_ question: Question, _ reader: WarehouseReader) async throws {
    let today = Day(year: 2026, month: 2, day: 3)
    guard let calendar = QuestionCalendar("Europe/Berlin") else { fatalError("There is no such zone") }
    let resolved = question.resolved(today: today)
    do {
      let result = try await reader.answer(resolved, app: StoredViews.app, calendar: calendar, today: today)
      guard let answered = AnsweredQuestion(resolved, result, milliseconds: 1) else {
        fatalError("The answer is of another kind")
      }
      for format in AnswerFormat.allCases { for part in answered.document(format) { _ = part.count } }
    } catch let error as QuestionError {
      // Too large or too slow, which is an answer.
      _ = error
    }
  }
}
