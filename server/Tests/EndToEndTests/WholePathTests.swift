import Foundation
import TernChildProcess
import Testing

/// The whole path with real processes: the reports agree with the example app's journal.
@Suite(.serialized)
struct WholePathTests {
  @Test func `every event of several processes is in the reports exactly once`() async throws {
    let workspace = try Workspace()
    let server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "History")
    let players = try (0..<2).map { number in
      try workspace.start(
        workspace.player,
        [
          "history", "--collector", server.address, "--key", app.key, "--data", workspace.path("player-\(number)"),
          "--first", String(number * 12), "--count", "12", "--days", "30", "--seed", "7",
          "--journal", workspace.path("journal-\(number)"),
        ], output: "player-\(number).log")
    }
    for (number, player) in players.enumerated() {
      try #require(player.wait() == .code(0), "\(workspace.text("player-\(number).log"))")
    }
    let journal = RecordedJournal((0..<2).map { workspace.text("journal-\($0)") })
    try #require(journal.returned.count > 500, "the players recorded too little to prove anything")
    #expect(journal.begun.count == journal.returned.count)

    let days = try #require(journal.returned.map(\.day).min())
    let range = ["--from", days, "--to", try #require(journal.returned.map(\.day).max())]
    let arrived = try await eventually {
      try overviewTotals(workspace, app, range)["events"] == journal.counts(kind: "event").values.reduce(0, +)
    }
    let reported = try overviewTotals(workspace, app, range)
    #expect(arrived, "\(reported)")
    try expectReports(of: workspace, app, range, match: journal)

    let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
    #expect(status == 0, "\(output)")
    #expect(server.stop() == .code(0))
    // The same metrics without a server, from the directory alone.
    try expectReports(of: workspace, app, range, match: journal)
  }

  @Test func `a killed app and a killed server lose nothing and count nothing twice`() async throws {
    let workspace = try Workspace()
    var server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Faults")
    // The players end when this file appears, however slow the machine is.
    let endFile = workspace.path("endFile")
    func player(_ number: Int) throws -> ChildProcess {
      try workspace.start(
        workspace.player,
        [
          "live", "--collector", server.address, "--key", app.key, "--data", workspace.path("player-\(number)"),
          "--first", String(number), "--count", "1", "--until", endFile, "--pace", "2", "--seed", "11",
          "--journal", workspace.path("journal-\(number)"),
        ], output: "player-\(number)-\(UUID().uuidString).log")
    }
    func lines(_ number: Int) -> Int { workspace.text("journal-\(number)").split(separator: "\n").count }

    func recordMore() async throws -> Bool {
      let before = (lines(0), lines(1))
      return try await eventually { lines(0) > before.0 + 100 && lines(1) > before.1 + 100 }
    }

    let steady = try player(0)
    let victim = try player(1)
    #expect(try await recordMore())
    // The server is killed while working and stays away for a while; the apps keep running.
    server.kill()
    #expect(try await recordMore())
    // An app is killed while events wait on its disk, and restarted.
    victim.kill()
    server = try await RunningServer.start(workspace, port: server.port)
    let revived = try player(1)
    #expect(try await recordMore())
    try Data().write(to: URL(filePath: endFile))
    for process in [steady, revived] {
      #expect(process.wait() == .code(0))
    }

    let journal = RecordedJournal((0..<2).map { workspace.text("journal-\($0)") })
    func total(_ entries: [RecordedJournal.Entry]) -> Int { entries.filter { $0.kind == "event" }.count }
    // The kill may come between a call and its line in the journal: at most that one call is undecided.
    let certain = total(journal.returned)
    let possible = total(journal.begun)
    #expect(possible - certain <= 1)
    let arrived = try await eventually { (try overviewTotals(workspace, app, [])["events"] ?? 0) >= certain }
    #expect(arrived)
    let events = try #require(try overviewTotals(workspace, app, [])["events"])
    #expect((certain...possible).contains(events), "\(certain)…\(possible) recorded, \(events) reported")
    #expect(try overviewTotals(workspace, app, [])["users"] == 2)
    let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
    #expect(status == 0, "\(output)")
    #expect(server.stop() == .code(0))
  }

  @Test func `a device whose clock is years off is counted once, even if the server is killed between its attempts`()
    async throws
  {
    let workspace = try Workspace()
    var server = try await RunningServer.start(workspace)
    let app = try CreatedApp.create(workspace, "Clocks")
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    let offsets = [-50, -3, 4, 60].map { Int64($0) * 365 * 86_400_000 }
    for attempt in 0..<3 {
      for (number, offset) in offsets.enumerated() {
        let lines = (0..<50).map { index in
          let id = "01900000-0000-7000-8000-0000000\(number)\(1000 + index)"
          return #"{"id":"\#(id)","type":"event","name":"Play","time":\#(now + offset + Int64(index)),"uptime":7,"#
            + #""boot":"b","install":"00000000-0000-4000-8000-00000000000\#(number)"}"#
        }
        let sent = now + offset + Int64(attempt * 1_000 + number)
        let answer = try await server.post(
          lines.joined(separator: "\n"), to: "/v1/events",
          ["Tern-Key": app.key, "Tern-Sent": "time=\(sent); uptime=9007; boot=b"])
        #expect(answer["accepted"] as? Int == (attempt == 0 ? 50 : 0), "\(offset) \(attempt)")
        #expect((answer["duplicates"] as? [Any])?.count == (attempt == 0 ? 0 : 50))
      }
      server.kill()
      server = try await RunningServer.start(workspace, port: server.port)
    }
    let totals = try overviewTotals(workspace, app, ["--days", "3"])
    #expect(totals["events"] == 200 && totals["users"] == 4)
    let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
    #expect(status == 0, "\(output)")
    #expect(server.stop() == .code(0))
  }

  private func overviewTotals(_ workspace: Workspace, _ app: CreatedApp, _ range: [String]) throws -> [String: Int] {
    try #require(try workspace.report("overview", app: app.id, range)["totals"] as? [String: Int])
  }

  private func expectReports(
    of workspace: Workspace, _ app: CreatedApp, _ range: [String], match journal: RecordedJournal
  ) throws {
    let totals = try overviewTotals(workspace, app, range)
    #expect(totals["events"] == journal.counts(kind: "event").values.reduce(0, +))
    #expect(totals["sessions"] == journal.counts(kind: "session").values.reduce(0, +))
    #expect(totals["users"] == journal.installs.count)

    let days = try #require(try workspace.report("overview", app: app.id, range)["days"] as? [[String: Any]])
    let (events, sessions) = (journal.perDay(kind: "event"), journal.perDay(kind: "session"))
    let active = journal.activePerDay
    for day in days {
      let date = try #require(day["date"] as? String)
      #expect(day["events"] as? Int == events[date, default: 0], "\(date)")
      #expect(day["sessions"] as? Int == sessions[date, default: 0], "\(date)")
      #expect(day["dau"] as? Int == active[date, default: 0], "\(date)")
    }
    for (kind, report) in [("event", "events"), ("screen", "screens")] {
      let rows = try #require(try workspace.report(report, app: app.id, range)[report] as? [[String: Any]])
      let pairs = try rows.map { (try #require($0["name"] as? String), $0) }
      let byName = Dictionary(pairs) { first, _ in first }
      #expect(rows.count == byName.count, "no name appears twice")
      let counts = byName.compactMapValues { $0["count"] as? Int }
      let users = byName.compactMapValues { $0["users"] as? Int }
      #expect(counts == journal.counts(kind: kind))
      #expect(users == journal.users(kind: kind))
    }
  }
}
