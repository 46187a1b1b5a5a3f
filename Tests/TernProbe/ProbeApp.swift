import Foundation
import Tern

/// An app with a client in the real world.
///
/// Options: `--collector URL`, `--directory PATH`, `--seed N`, `--deaf` for one that hears nothing of the network.
/// Commands: `track NAME`, `flush TIMES MILLISECONDS`, `status`; each is answered by a line.
struct ProbeApp {
  private let tern: TernClient

  init(_ options: Options) throws {
    guard let collector = options["collector"].flatMap(URL.init(string:)), let directory = options["directory"] else {
      fatalError("An app needs --collector and --directory.")
    }
    var configuration = TernClient.Configuration(key: "probe", collector: collector)
    configuration.queueDirectory = URL(fileURLWithPath: directory, isDirectory: true)
    configuration.sessions = .manual
    var environment = TernClient.Environment.live
    if let seed = options["seed"].flatMap(UInt64.init) { environment.seed = seed }
    if options["deaf"] != nil { environment.reachability = nil }
    tern = try TernClient(configuration, environment: environment)
  }

  func run() async throws {
    say("ready")
    for await line in inputLines() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "track":
        tern.track(words[1])
        say("tracked \(words[1])")
      case "flush":
        for _ in 0..<(Int(words[1]) ?? 1) { await tern.flush(deadline: .milliseconds(Int(words[2]) ?? 1000)) }
        say("flushed")
      case "status":
        let status = tern.currentStatus
        say("status queued=\(status.queued + status.inFlight) delivered=\(status.delivered)")
      default: fatalError("\(line) is no command.")
      }
    }
    await tern.shutdown()
  }
}
