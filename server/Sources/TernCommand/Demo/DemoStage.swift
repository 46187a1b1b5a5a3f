import Foundation
import TernChildProcess

/// What the demo's processes are told, and where they keep their queues.
struct DemoStage {
  /// The example app.
  let player: URL
  /// The collector's address.
  let collector: String
  /// The demo app's key.
  let key: String
  /// A directory for the queues of the example processes.
  let queues: URL
  /// Days of history.
  let days: Int
  /// The seed of the story; the same seed tells the same story.
  let seed: UInt64

  /// Starts a process that lives through the past of some installs and ends when everything is delivered.
  func startHistory(first: Int, count: Int) throws -> ChildProcess {
    try ChildProcess(player.path, arguments("history", collector, first: first, count: count), output: nil)
  }

  /// Starts a process that uses the app now until it is ended.
  func startLive(first: Int, count: Int, through gate: String? = nil, pace: Duration) throws -> ChildProcess {
    let milliseconds = pace.components.seconds * 1_000 + pace.components.attoseconds / 1_000_000_000_000_000
    return try ChildProcess(
      player.path,
      arguments("live", gate ?? collector, first: first, count: count) + ["--pace", String(milliseconds)], output: nil)
  }

  private func arguments(_ mode: String, _ collector: String, first: Int, count: Int) -> [String] {
    [
      mode, "--collector", collector, "--key", key, "--data", queues.path, "--first", String(first), "--count",
      String(count), "--days", String(days), "--seed", String(seed),
    ]
  }

  /// Finds the example app: where the option says, else beside this program, else where `Scripts/run` builds it.
  static func findPlayer(_ option: String?) throws(DemoError) -> URL {
    let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let repository = program.appending(path: "../../../..").standardized
    let candidates =
      option.map { [URL(filePath: $0)] } ?? [
        program.appending(path: "demo-player"),
        repository.appending(path: "Examples/.build/release/demo-player"),
        repository.appending(path: "Examples/.build/debug/demo-player"),
      ]
    for candidate in candidates where FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    if let option { throw DemoError("there is no program at \(option)") }
    throw DemoError(
      "cannot find the example app; build it with 'swift build -c release --package-path Examples', or name it with "
        + "--player")
  }
}
