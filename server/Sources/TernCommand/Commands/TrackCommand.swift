import ArgumentParser
import Foundation
import Tern

/// `tern track`
struct TrackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track", abstract: "Send one event through the SDK and say whether it arrived.",
    discussion: """
      Values become whole numbers, numbers, true or false where they look like it, else text.
      Exit code 0: it arrived. 1: it did not, and the reason is printed.

      Examples:
        tern track Hello --key tern_…
        tern track Purchase -p total=9.99 -p items=3 -p gift=true --url https://tern.example.com --key tern_…
        tern track Heartbeat --queue ./queue --key tern_…      keeps what does not arrive for the next time
      """)

  @Argument(help: "The event's name.")
  var name: String

  @Option(
    name: [.customShort("p"), .customLong("property")],
    help: ArgumentHelp("A property; repeat it for more.", valueName: "name=value"))
  var properties: [String] = []

  @Option(help: ArgumentHelp("The collector's address.", valueName: "address"))
  var url = "http://127.0.0.1:8787"

  @Option(help: ArgumentHelp("The app's key.", valueName: "key"))
  var key: String

  @Option(help: ArgumentHelp("How long to wait for the answer, in seconds.", valueName: "seconds"))
  var timeout = 10.0

  @Option(
    help: ArgumentHelp("A directory that keeps what does not arrive; else it is forgotten.", valueName: "directory"))
  var queue: String?

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else { throw ValidationError("--timeout is a number of seconds above 0.") }
    guard !name.isEmpty else { throw ValidationError("The event needs a name.") }
    for property in properties { _ = try PropertyArgument.parse(property) }
  }

  func run() async throws {
    guard let collector = URL(string: url) else { throw CommandFailure("\"\(url)\" is no address.") }
    let directory = queue.map { URL(filePath: $0) } ?? Self.temporaryDirectory()
    defer { if queue == nil { try? FileManager.default.removeItem(at: directory) } }
    var configuration = TernClient.Configuration(key: key, collector: collector)
    configuration.queueDirectory = directory
    configuration.sessions = .manual
    configuration.requestTimeout = .seconds(timeout)
    // Sent by the flush alone, so that its outcome is this event's.
    configuration.startsPaused = false
    let client = try TernClient(configuration)
    client.track(name, Properties(try properties.map(PropertyArgument.parse)))
    let outcome = await client.flush(deadline: .seconds(timeout))
    await client.shutdown()
    try report(outcome)
  }

  private func report(_ outcome: FlushOutcome) throws {
    let reason: String
    switch outcome {
    case .sent(let count):
      return Terminal.say(count == 1 ? "\"\(name)\" has arrived." : "\"\(name)\" has arrived, with \(count - 1) more.")
    case .nothingToSend: reason = "it could not be recorded"
    case .offline: reason = "there is no network"
    case .failed(let error): reason = error.message
    case .outOfTime: reason = "no answer came within \(timeout) s"
    }
    let fate = queue.map { " It waits in \($0)." } ?? ""
    Terminal.complain(CommandEnding.line("tern: \"\(name)\" has not arrived: \(reason)\(fate)"))
    throw ExitCode(1)
  }

  private static func temporaryDirectory() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "tern-track-\(UUID().uuidString)")
  }
}

/// A property as it is typed: `name=value`.
enum PropertyArgument {
  /// Reads a property; a value is an integer, a number, `true` or `false` where it looks like one, else text.
  static func parse(_ text: String) throws -> Properties.Element {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ValidationError("\"\(text)\" is no property; write it as name=value.")
    }
    return Properties.Element(name: String(text[..<sign]), value: value(String(text[text.index(after: sign)...])))
  }

  private static func value(_ text: String) -> PropertyValue {
    if let integer = Int64(text), !text.hasPrefix("+") { return .integer(integer) }
    if text == "true" || text == "false" { return .boolean(text == "true") }
    // `Double` also reads "nan", "inf" and hexadecimal, which people write as words and codes.
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    if isDecimal, text.utf8.first.map({ (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }) == true,
      let double = Double(text), double.isFinite
    {
      return .double(double)
    }
    return .string(text)
  }
}
