import ArgumentParser
import Foundation
import Tern
import TernServer

/// `tern track`
struct TrackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track", abstract: "Send one event through the SDK and check that it arrives.",
    discussion: """
      Values that look like whole numbers, numbers, true or false are sent as such, all others as text.
      Exit code 0: the event arrived. 1: it did not; the reason is printed.

      Examples:
        tern track Hello --key tern_…
        tern track Purchase -p total=9.99 -p items=3 -p gift=true --url https://tern.example.com --key tern_…
        tern track Heartbeat --queue ./queue --key tern_…      keeps the event for the next run if it does not arrive
      """)

  @Argument(help: "The event's name.")
  var name: String

  @Option(
    name: [.customShort("p"), .customLong("property")],
    help: ArgumentHelp("A property. Repeat the option for more.", valueName: "name=value"))
  var properties: [String] = []

  @Option(help: ArgumentHelp("The collector's address.", valueName: "address"))
  var url = "http://127.0.0.1:8787"

  @Option(help: ArgumentHelp("The app's key.", valueName: "key"))
  var key: String

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The time to wait for the response, in seconds.", valueName: "seconds"))
  var timeout = 10.0

  @Option(
    help: ArgumentHelp(
      "A directory that keeps the event if it does not arrive; by default it is dropped.", valueName: "directory"))
  var queue: String?

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout must be a number of seconds above 0.")
    }
    guard !name.isEmpty else { throw ValidationError("The event needs a name.") }
    for property in properties { _ = try PropertyArgument.parse(property) }
  }

  func run() async throws {
    guard let collector = URL(string: url) else { throw ServerFailure("\"\(url)\" is not a valid address.") }
    let directory = queue.map { URL(filePath: $0) } ?? Self.temporaryDirectory()
    defer { if queue == nil { try? FileManager.default.removeItem(at: directory) } }
    var configuration = TernClient.Configuration(key: key, collector: collector)
    configuration.queueDirectory = directory
    configuration.sessions = .manual
    configuration.requestTimeout = .seconds(timeout)
    // Only the flush sends, so its outcome is that of this event.
    configuration.startsPaused = false
    let client = try TernClient(configuration)
    client.track(name, Properties(try properties.map(PropertyArgument.parse)))
    let outcome = await client.flush(deadline: .seconds(timeout))
    let storageError = client.storageError
    await client.shutdown()
    try report(outcome, storageError)
  }

  private func report(_ outcome: FlushOutcome, _ storageError: TernError?) throws {
    let reason: String
    switch outcome {
    case .sent(let count):
      return Terminal.say(count == 1 ? "\"\(name)\" has arrived." : "\"\(name)\" has arrived, with \(count - 1) more.")
    case .nothingToSend: reason = "it could not be recorded"
    case .offline: reason = "there is no network"
    case .failed(let error): reason = error.message
    case .outOfTime: reason = "no response came within \(timeout) s"
    }
    let note = queue.map { storageError.map { " It is lost: \($0.message)" } ?? " It waits in \($0)." } ?? ""
    Terminal.complain(ServerFailure.line("tern: \"\(name)\" has not arrived: \(reason)\(note)"))
    throw ExitCode(1)
  }

  private static func temporaryDirectory() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "tern-track-\(UUID().uuidString)")
  }
}

/// A property as typed: `name=value`.
enum PropertyArgument {
  /// Parses a property. A value that looks like an integer, a number, `true` or `false` is one; all others are text.
  static func parse(_ text: String) throws -> Properties.Element {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ValidationError("\"\(text)\" is not a property. Write it as name=value.")
    }
    return Properties.Element(name: String(text[..<sign]), value: value(String(text[text.index(after: sign)...])))
  }

  private static func value(_ text: String) -> PropertyValue {
    if let integer = Int64(text), !text.hasPrefix("+") { return .integer(integer) }
    if text == "true" || text == "false" { return .boolean(text == "true") }
    // `Double` also parses "nan", "inf" and hexadecimal, which are words and codes here.
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    if isDecimal, text.utf8.first.map({ (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }) == true,
      let double = Double(text), double.isFinite
    {
      return .double(double)
    }
    return .string(text)
  }
}
