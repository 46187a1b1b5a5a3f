import Foundation
import TernChildProcess
import TernServer

/// The arguments for the demo's processes.
struct DemoStage {
  /// The program of the example app.
  let player: URL
  /// The collector's address.
  let collector: String
  /// The demo app's key.
  let key: String
  /// The directory of the processes' queues.
  let queues: URL
  /// The number of days of history.
  let days: Int
  /// The random seed of the history.
  let seed: UInt64

  /// Starts a process that plays the history of some installs and ends when everything is delivered.
  func startHistory(first: Int, count: Int) throws -> ChildProcess {
    try ChildProcess(player.path, arguments("history", collector, first: first, count: count), output: nil)
  }

  /// Starts a process that uses the app in real time until it is terminated.
  ///
  /// - Parameter pace: The milliseconds between two events: one number, or one for each hour of the day in UTC.
  func startLive(first: Int, count: Int, through gate: String? = nil, pace: [Int]) throws -> ChildProcess {
    try ChildProcess(
      player.path,
      arguments("live", gate ?? collector, first: first, count: count)
        + ["--pace", pace.map(String.init).joined(separator: ",")], output: nil)
  }

  private func arguments(_ mode: String, _ collector: String, first: Int, count: Int) -> [String] {
    [
      mode, "--collector", collector, "--key", key, "--data", queues.path, "--first", String(first), "--count",
      String(count), "--days", String(days), "--seed", String(seed),
    ]
  }

  /// Finds the example app: at the given path, else next to this program, else where `Scripts/run` or a build of `Examples` puts it.
  static func findPlayer(_ option: String?) throws(ServerFailure) -> URL {
    let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let repository = program.appending(path: "../../../..").standardized
    let candidates =
      option.map { [URL(filePath: $0)] } ?? [
        program.appending(path: "demo-player"),
        repository.appending(path: ".build/demo-example/debug/demo-player"),
        repository.appending(path: ".build/debug/demo-player"),
        repository.appending(path: "Examples/.build/release/demo-player"),
        repository.appending(path: "Examples/.build/debug/demo-player"),
      ]
    for candidate in candidates where FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    if let option { throw ServerFailure("There is no program at \(option).") }
    throw ServerFailure(
      "Couldn't find the example app. Build it with 'swift build -c release --package-path Examples', or pass its path "
        + "with --player.")
  }
}
