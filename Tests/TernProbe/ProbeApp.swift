import Foundation
import ProbeSupport
import Tern

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An app with a client that uses the real network, disk and clock.
///
/// Options: `--collector URL`, `--directory PATH`, `--seed N`, `--deaf` for no network hints, `--flush-on-termination
/// MILLISECONDS` (or `longest`), and `--before HANDLER` and `--after HANDLER` for the app's own SIGTERM handler,
/// installed before or after that call: `ignore`, or `exit`, which prints `handled` and exits with 7.
/// Commands: `track NAME`, `flush TIMES MILLISECONDS`, `status`, `block`, `shutdown`, `handler`; the app
/// answers each with a line.
struct ProbeApp {
  private let tern: TernClient

  init(_ options: ProbeOptions) throws {
    guard let collector = options["collector"].flatMap(URL.init(string:)), let directory = options["directory"] else {
      fatalError("An app needs --collector and --directory.")
    }
    var configuration = TernClient.Configuration(key: "probe", collector: collector)
    configuration.queueDirectory = URL(fileURLWithPath: directory, isDirectory: true)
    configuration.sessions = .manual
    // Sends only on request.
    configuration.flushInterval = .seconds(3600)
    configuration.flushAt = 1_000_000
    var environment = TernClient.Environment.live
    if let seed = options["seed"].flatMap(UInt64.init) { environment.seed = seed }
    if options["deaf"] != nil { environment.reachability = nil }
    tern = try TernClient(configuration, environment: environment)
    setHandler(options["before"])
    #if os(Linux)
      if let deadline = options["flush-on-termination"] {
        tern.flushOnTermination(
          deadline: Int(deadline).map { .milliseconds($0) } ?? Duration(attoseconds: .max))
      }
    #endif
    setHandler(options["after"])
  }

  private func setHandler(_ name: String?) {
    switch name {
    case "ignore": signal(SIGTERM, SIG_IGN)
    case "exit":
      signal(SIGTERM) { _ in
        let text: StaticString = "handled\n"
        _ = write(1, text.utf8Start, text.utf8CodeUnitCount)
        _exit(7)
      }
    default: break
    }
  }

  /// The current action of SIGTERM.
  private var handler: String {
    var action = sigaction()
    sigaction(SIGTERM, nil, &action)
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    let number = unsafeBitCast(handler, to: Int.self)
    return number == unsafeBitCast(SIG_DFL, to: Int.self)
      ? "default" : number == unsafeBitCast(SIG_IGN, to: Int.self) ? "ignored" : "caught"
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
        let status = tern.status
        say("status queued=\(status.queued + status.inFlight) delivered=\(status.delivered)")
      case "block":
        // From here on, no Swift task gets a thread.
        for _ in 0..<256 { Task.detached { sleep(3600) } }
        say("blocked")
      case "shutdown":
        await tern.shutdown()
        say("down")
      case "handler": say("handler \(handler)")
      default: fatalError("Unknown command: \(line)")
      }
    }
    await tern.shutdown()
  }
}
