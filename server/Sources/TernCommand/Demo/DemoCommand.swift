import AppCatalog
import ArgumentParser
import Foundation
import Ingest
import NIOPosix
import Questions
import ServerBase
import TernBase
import TernEvents
import TernServer
import UnixSignals
import Warehouse
import WarehouseSQLite

/// `tern demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Start a server and a fictional app that reports to it, until Ctrl-C.",
    discussion: """
      Several processes of the example app first play the past days of many installs: a year's releases, a campaign, \
      and the crashes of one version. Then they use the app in real time. \
      One process is killed and restarted, one loses its network for a while. Nothing is lost or counted twice.

      Examples:
        tern demo
        tern demo --installs 100 --port 9000
        tern demo --data ./demo-data                 keep the data for `tern serve --data ./demo-data`
      """)

  @Option(help: ArgumentHelp("The example app. Default: the one built with this program.", valueName: "file"))
  var player: String?

  @Option(help: ArgumentHelp("A new directory to keep. Default: a temporary one.", valueName: "directory"))
  var data: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The port to listen on; 0 for any free port.", valueName: "number"))
  var port: UInt16 = 8787

  @Option(parsing: .unconditional, help: ArgumentHelp("The number of installs.", valueName: "number"))
  var installs = 600

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The number of days of history, including today.", valueName: "number"))
  var days = 90

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The number of processes that play the history.", valueName: "number"))
  var processes = 4

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The random seed: the same number gives the same events.", valueName: "number"))
  var seed: UInt64 = 2026

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("End after this many seconds of live traffic; 0 to run until Ctrl-C.", valueName: "number"))
  var liveSeconds = 0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds of live traffic before a process is killed.", valueName: "number"))
  var killAfter = 20

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Seconds for which a process loses its network.", valueName: "number"))
  var offlineFor = 30

  func validate() throws {
    guard (6...100_000).contains(installs) else { throw ValidationError("--installs must be from 6 to 100000.") }
    guard (1...365).contains(days) else { throw ValidationError("--days must be from 1 to 365.") }
    guard (1...64).contains(processes) else { throw ValidationError("--processes must be from 1 to 64.") }
    guard liveSeconds >= 0, killAfter >= 1, offlineFor >= 1 else {
      throw ValidationError("--live-seconds, --kill-after and --offline-for must be positive.")
    }
  }

  func run() async throws {
    let player = try DemoStage.findPlayer(player)
    try await CollectorServer.check(.init(port: Int(port)))
    let directory = try DemoDirectory(data)
    defer { directory.removeIfTemporary() }
    let server = try LocalServer(directory: directory.data.path)
    let app = try server.catalog.createApp(name: "Demo Player")
    let boards = DemoBoards(app: app, days: max(days - 1, 1))
    try boards.create(server.catalog, on: Self.today)
    let secret = try server.catalog.duplicateSecret()
    let televisions = DemoTelevisions(
      app: try DemoTelevisions.createApp(server.catalog), days: max(days - 1, 1), seed: seed,
      warehouse: server.warehouse,
      key: DuplicateHashKey(secret.0, secret.1))
    let script = Locked<Task<Void, Never>?>(nil)
    // Closing the terminal also ends the demo and its processes cleanly.
    try await server.run(.init(port: Int(port)), signals: [.sigterm, .sigint, .sighup]) { port in
      let address = ServeCommand.address(host: "127.0.0.1", port: port)
      announce(address, server.catalog, app, directory)
      // The last day is today, which is for live traffic.
      let stage = DemoStage(
        player: player, collector: address, key: app.key, queues: directory.queues, days: max(days - 1, 1), seed: seed)
      let task = Task {
        await play(stage, televisions, boards, server.catalog, port: port, warehouse: server.warehouse)
      }
      script.withLock { $0 = task }
    }
    let task = script.withLock { $0 }
    task?.cancel()
    await task?.value
  }

  private static var today: Day { Day(number: Int(WallClock.system().secondsSince1970 / 86_400)) }

  /// The pace of the week before today.
  private static func pace(of app: AppID, _ warehouse: SQLiteWarehouse, before today: Day) async throws -> DemoPace {
    let week = today.advanced(by: -7)...today.advanced(by: -1)
    let question = QueryQuestion(
      scope: QuestionScope(range: .dates(week.lowerBound, week.upperBound)), metrics: [.plain(.events)],
      groups: [.init(.time(.hour))], limit: .max)
    guard
      case .query(let answer) = try await warehouse.reader.answer(
        Question.query(question).resolved(today: today), app: app, calendar: QuestionCalendar(.utc), today: today
      ).answer
    else { return DemoPace(counts: [:], days: week.count) }
    var counts: [Int: Int] = [:]
    for row in answer.rows {
      // An hour is written as `2026-05-04T14`.
      guard let hour = (row.dimensions.first ?? nil)?.text.flatMap({ Int($0.dropFirst(11).prefix(2)) }) else {
        continue
      }
      counts[hour, default: 0] += row.metrics[0].map { Int(clamping: $0) } ?? 0
    }
    return DemoPace(counts: counts, days: week.count)
  }

  private func announce(_ address: String, _ catalog: Catalog, _ app: App, _ directory: DemoDirectory) {
    let link = try? LoginLinkCommand.link(to: address, catalog)
    Terminal.say(
      """

      Open the portal and watch:
        \(link.map { "\($0)&next=/apps/\(app.id)" } ?? address)
      Data: \(directory.data.path)\(directory.isTemporary ? " (removed at the end)" : "")

      """)
  }

  private func play(
    _ stage: DemoStage, _ televisions: DemoTelevisions, _ boards: DemoBoards, _ catalog: Catalog, port: Int,
    warehouse: SQLiteWarehouse
  ) async {
    let (began, app) = (ContinuousClock.now, boards.app.id)
    let today = Self.today
    let range = today.advanced(by: -days - 1)...today.advanced(by: 1)
    do {
      let script = DemoScript(
        stage: stage, installs: installs, processes: processes,
        gate: try NetworkGate(host: "127.0.0.1", port: port, group: .singleton),
        storedEvents: {
          // Reports lag by up to half a second; the printed number must be exact.
          try? await warehouse.flush()
          return (try? await warehouse.reader.total(app: app, dimension: .total, key: "", days: range).count) ?? 0
        },
        say: { text in
          let seconds = String((ContinuousClock.now - began).components.seconds)
          Terminal.say("[\(String(repeating: " ", count: max(0, 4 - seconds.count)))\(seconds) s] \(text)")
        })
      async let hits: Void = televisions.play(until: WallClock.system())
      try await script.playHistory()
      try await boards.settle(
        warehouse.reader.errorGroups(app: app, group: nil, days: range, limit: 100), catalog)
      try await hits
      try await script.playLive(
        try await Self.pace(of: app, warehouse, before: today), killAfter: .seconds(killAfter),
        networkGoneFor: .seconds(offlineFor),
        endAfter: liveSeconds > 0 ? .seconds(liveSeconds) : nil)
      // Nothing else here can end the server, which listens for signals.
      kill(getpid(), SIGTERM)
    } catch is CancellationError {
      return
    } catch {
      Terminal.complain("tern: the demo stopped: \(error) (the server keeps running; press Ctrl-C to end it)")
    }
  }
}
