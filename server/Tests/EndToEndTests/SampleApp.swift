import Foundation
import TernChildProcess
import Testing

/// A run of the example app for Google Analytics, controlled through its standard input.
final class SampleApp {
  private let process: ChildProcess
  private let input = Pipe()
  private let output: String
  private let workspace: Workspace
  private var commands = 0

  /// Starts the app; successive apps with the same home share queue and client.
  init(_ workspace: Workspace, home: String, interval: Int, of app: CreatedApp, collector: String) throws {
    self.workspace = workspace
    output = "sample-\(home)-\(UUID().uuidString).log"
    process = try workspace.start(
      workspace.googleAnalyticsSample, [app.trackingID, String(interval)],
      environment: ["TERN_COLLECTOR": collector, "XDG_DATA_HOME": workspace.path(home)], input: input, output: output)
  }

  /// The output of the app and the library so far.
  var log: String { workspace.text(output) }

  /// Starts a command.
  func begin(_ command: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    commands += 1
  }

  /// Runs a command and waits until its calls have returned.
  func perform(_ command: String) async throws {
    try begin(command)
    let isDone = try await eventually { notes.count { $0 == "done" } == commands }
    try #require(isDone, "\(command): \(log)")
  }

  /// The output lines other than hits.
  var notes: [String] { lines("= ") }
  /// The results passed to its handlers.
  var results: [String] { notes.filter { $0.hasPrefix("handler ") }.map { String($0.dropFirst(8)) } }
  /// The number of calls that returned.
  var calls: Int { lines("< ").count }
  /// The number of hits accepted by a server.
  var sent: Int { log.matches(of: /status 200, (\d+) hit/).reduce(0) { $0 + (Int($1.1) ?? 0) } }

  private func lines(_ prefix: String) -> [String] {
    log.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }

  /// Kills the app without warning.
  func kill() { process.kill() }

  /// Quits the app, and waits for its end.
  func quit() throws -> ChildProcess.Exit {
    try begin("quit")
    return process.wait()
  }

  /// The hits of the app: those whose calls returned, and those in progress when it was killed.
  func hits() throws -> (certain: [SentHit], undecided: [SentHit]) {
    let client = try #require(notes.first { $0.hasPrefix("client ") }).dropFirst(7)
    let returned = Set(lines("< "))
    let hits = try lines("> ").map { line in
      let words = line.split(separator: " ")
      let pairs = words.dropFirst(2).compactMap { word -> (String, String)? in
        guard let sign = word.firstIndex(of: "=") else { return nil }
        return (String(word[..<sign]), String(word[word.index(after: sign)...].removingPercentEncoding ?? ""))
      }
      let milliseconds = try #require(Double(words[1]))
      let hit = SentHit(
        time: Date(timeIntervalSince1970: milliseconds / 1_000), client: String(client),
        parameters: Dictionary(uniqueKeysWithValues: pairs))
      return (number: String(words[0]), hit: hit)
    }
    return (
      hits.filter { returned.contains($0.number) }.map(\.hit), hits.filter { !returned.contains($0.number) }.map(\.hit)
    )
  }
}
