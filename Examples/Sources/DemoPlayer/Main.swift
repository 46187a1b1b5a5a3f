import Foundation

/// Demo Player, a fictional video app without a screen that uses the SDK.
///
/// `history` plays the past days of many installs; `live` uses the app in real time.
@main
struct Main {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments)
      let tally = try await options.isLive ? Live(options).run() : History(options).run()
      print(tally.json)
    } catch {
      FileHandle.standardError.write(Data("demo-player: \(error)\n".utf8))
      exit(2)
    }
  }
}

/// The options of a run.
struct Options {
  var isLive = false
  var collector: URL
  var key: String
  /// The parent directory of the installs' queues.
  var directory: URL
  /// The number of the first install, and the number of installs in this process.
  var first = 0
  var count = 1
  /// The number of days of history.
  var days = 30
  var seed: UInt64 = 1
  /// The duration of `live` in seconds; 0 means forever.
  var seconds = 0
  /// A file that ends `live` when it appears.
  var until: String?
  /// Milliseconds between two events of `live`: one number, or one for each hour of the day in UTC.
  var pace = [400]
  var journal: String?

  init(_ arguments: [String]) throws {
    let usage =
      "usage: demo-player history|live --collector URL --key KEY --data DIR [--first N] [--count N] "
      + "[--days N] [--seed N] [--seconds N] [--until FILE] [--pace MILLISECONDS[,…]] [--journal FILE]"
    guard arguments.count > 1, ["history", "live"].contains(arguments[1]) else { throw UsageError(usage) }
    var values: [String: String] = [:]
    for index in stride(from: 2, to: arguments.count - 1, by: 2) { values[arguments[index]] = arguments[index + 1] }
    guard let collector = values["--collector"].flatMap({ URL(string: $0) }), let key = values["--key"],
      let directory = values["--data"], arguments.count % 2 == 0
    else { throw UsageError(usage) }
    isLive = arguments[1] == "live"
    self.collector = collector
    self.key = key
    self.directory = URL(filePath: directory)
    func number(_ name: String, _ fallback: Int) -> Int { values[name].flatMap { Int($0) } ?? fallback }
    first = number("--first", first)
    count = number("--count", count)
    days = number("--days", days)
    seed = UInt64(number("--seed", 1))
    seconds = number("--seconds", seconds)
    until = values["--until"]
    let paces = (values["--pace"] ?? "").split(separator: ",").compactMap { Int($0) }.filter { $0 > 0 }
    if [1, 24].contains(paces.count) { pace = paces }
    journal = values["--journal"]
  }
}

/// A usage error.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The totals of a run.
struct Tally {
  var events = 0
  var screens = 0
  var sessions = 0
  var installs = 0

  var json: String {
    #"{"installs":\#(installs),"sessions":\#(sessions),"screens":\#(screens),"events":\#(events)}"#
  }
}
