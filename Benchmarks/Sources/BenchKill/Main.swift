import BenchSupport
import Foundation
import Tern
import TernChildProcess

/// The kill experiment: a process records events as fast as it can and is killed as soon as the last `track` has
/// returned.
///
/// The parent (`--rounds N --events N --collector URL --key KEY`) starts itself as the child, kills it, starts it again
/// to deliver the rest, and prints the number of recorded events. `Scripts/bench kill` compares it with the reports.
@main
struct Main {
  static func main() async throws {
    let options = Options(usage: "bench-kill --rounds N --events N --collector URL --key KEY --directory DIR")
    switch options.text("role", default: "parent") {
    case "child": try await child(options)
    case "successor": try await successor(options)
    default: try parent(options)
    }
  }

  private static func client(_ options: Options) throws -> TernClient {
    guard let collector = URL(string: options.text("collector", default: "")) else { throw CancellationError() }
    var configuration = TernClient.Configuration(key: options.text("key", default: ""), collector: collector)
    configuration.queueDirectory = URL(filePath: options.text("directory", default: ""))
    configuration.maximumQueueBytes = 1 << 30
    configuration.appVersion = "1.0"
    configuration.sessions = .manual
    return try TernClient(configuration)
  }

  /// Records events, prints a line, and delivers until it is killed.
  private static func child(_ options: Options) async throws {
    let client = try client(options)
    let first = options.number("first", default: 0)
    for number in first..<first + options.number("events", default: 0) {
      client.track(
        "Burst \(number / 100)",
        ["Category": "Music", "FileName": "favorite.avi", "Length": Double(number), "HD": true])
    }
    FileHandle.standardOutput.write(Data("recorded\n".utf8))
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// Delivers the events left by the previous process.
  private static func successor(_ options: Options) async throws {
    let client = try client(options)
    while client.ledger.queued + client.ledger.inFlight > 0 {
      if case .failed(let error) = await client.flush() { throw error }
    }
    await client.shutdown()
  }

  private static func parent(_ options: Options) throws {
    var generator = SystemRandomNumberGenerator()
    let rounds = options.number("rounds", default: 10)
    let events = options.number("events", default: 10_000)
    for round in 0..<rounds {
      let arguments = [
        "--collector", options.text("collector", default: ""), "--key", options.text("key", default: ""),
        "--directory", options.text("directory", default: "") + "/\(round)", "--first", String(round * events),
        "--events", String(events),
      ]
      let output = Pipe()
      let program = CommandLine.arguments[0]
      let child = try ChildProcess(program, ["--role", "child"] + arguments, output: output.fileHandleForWriting)
      try output.fileHandleForWriting.close()
      // The line arrives when the last call has returned; the end of the file, if the child died before that.
      guard !output.fileHandleForReading.availableData.isEmpty else { throw CancellationError() }
      // Immediately, or sometime during the delivery.
      if round % 2 == 1 { usleep(UInt32.random(in: 0...200_000, using: &generator)) }
      child.kill()
      let successor = try ChildProcess(program, ["--role", "successor"] + arguments)
      guard successor.wait() == .code(0) else { throw CancellationError() }
    }
    printLine(["figure": "kill_recorded", "rounds": .count(rounds), "events": .count(rounds * events)])
  }
}
