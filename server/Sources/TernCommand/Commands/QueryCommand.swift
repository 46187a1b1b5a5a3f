import AppCatalog
import ArgumentParser
import Foundation
import JSON
import Questions
import Reports
import TernEvents
import TernServer
import Warehouse

/// `tern query`
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Answer a question about an app; works while a server runs.",
    discussion: """
      The question is JSON, as for the HTTP API; its member "kind" names the kind unless --kind does. docs/questions.md has
      all kinds, metrics and filters.

      Examples:
        tern query question.json --app 1
        echo '{"metrics": ["users"], "dimensions": ["version"]}' | tern query - --app 1 --format csv
        tern query question.json --app 1 --format csv --texts raw
        echo '{"kind": "funnel", "steps": [{"screen": "Home"}, {"event": "Play"}]}' | tern query - --app 1
      """)

  @Argument(help: "The file with the question; - for standard input.", completion: .file(extensions: ["json"]))
  var file: String

  @OptionGroup var app: AppOption

  @Option(
    help: ArgumentHelp(
      "The kind: \(Question.Kind.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "kind"),
    transform: { try choice($0) })
  var kind: Question.Kind?

  @Option(help: ArgumentHelp("json, rows, csv or ndjson.", valueName: "format"))
  var format = AnswerFormat.json.rawValue

  @OptionGroup var csv: CSVOptions

  @Flag(help: "Answer although the question names a value that no event of the app has ever had.")
  var allowUnknown = false

  @OptionGroup var data: DataOption

  func run() async throws {
    let format = try AnswerFormat(parsing: format)
    let bytes = try read()
    let answered = try await data.withReader { catalog, reader in
      let app = try app.find(in: catalog)
      let segments = try catalog.segmentFilters(app: app.id)
      let question =
        try kind.map { try Question($0, json: bytes, segments: segments) }
        ?? Question(json: bytes, segments: segments)
      if !allowUnknown { try await Self.checkKnown(try JSONTree(parsing: bytes), app, reader) }
      return try await Self.answer(question, app, reader, now: WallClock.system())
    }
    if let remark = answered.remark { Terminal.complain(remark) }
    // In JSON, they are in the answer.
    if format != .json { answered.notes.forEach(Terminal.complain) }
    for part in answered.document(format, csv.style) { try FileHandle.standardOutput.write(contentsOf: Data(part)) }
  }

  private func read() throws -> [UInt8] {
    // One byte more than allowed, so that a longer question is refused and not cut.
    let limit = JSONTree.maximumBytes + 1
    if file == "-" { return Array(try FileHandle.standardInput.read(upToCount: limit) ?? Data()) }
    guard let handle = FileHandle(forReadingAtPath: file) else { throw ServerFailure("\(file) can't be read.") }
    defer { try? handle.close() }
    return Array(try handle.read(upToCount: limit) ?? Data())
  }

  /// Throws an error if a question names a value that no event of the app has ever had.
  static func checkKnown(_ json: JSONTree, _ app: App, _ source: any QuestionSource) async throws {
    let values = json.namedValues
    let unknown = try await source.unknownValues(among: Set(values.map(\.value)), app: app.id)
    guard var error = QuestionError.unknown(values, unknown) else { return }
    error.message += " Use --allow-unknown if it is still to come."
    throw error
  }

  /// Answers a question without a time limit.
  static func answer(
    _ question: Question, _ app: App, _ source: any QuestionSource, now: Timestamp
  ) async throws -> AnsweredQuestion {
    let calendar = QuestionCalendar(app.zone)
    let today = calendar.day(of: now.millisecondsSince1970)
    let resolved = question.resolved(today: today)
    let clock = ContinuousClock()
    let start = clock.now
    let result = try await source.answer(resolved, app: app.id, calendar: calendar, today: today)
    let milliseconds = Int((clock.now - start) / .milliseconds(1))
    guard let answered = AnsweredQuestion(resolved, result, milliseconds: milliseconds) else {
      throw ServerFailure("The answer is of another kind than the question.")
    }
    return answered
  }
}
