import Foundation
import TernChildProcess
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Real apps written for Google Analytics for iOS, and other clients of its protocol: the reports of three views in three
/// time zones are exact, at any hour of the day.
@Suite(.serialized)
struct GoogleAnalyticsTests {
  /// A server, an app, and three views of it.
  private final class Stage {
    let workspace: Workspace
    var server: RunningServer
    let token: String
    let app: CreatedApp
    let views: [ReportedView]
    let now = Date()
    private(set) var runs: [SampleApp] = []

    init() async throws {
      workspace = try Workspace()
      server = try await RunningServer.start(workspace)
      let printed = try workspace.run([
        "tokens", "create", "test", "--scope", "export", "--data", workspace.path("data"),
      ])
      token = try #require(printed.output.split(separator: "\n").last.map(String.init))
      app = try CreatedApp.create(workspace, "Films")
      // Far apart, so that no two are in the same hour.
      let zones = [
        try ReportedView.quietZone("Pacific/Kiritimati", "Pacific/Chatham", at: now),
        try ReportedView.quietZone("America/Los_Angeles", "America/St_Johns", at: now),
        try ReportedView.quietZone("Asia/Kolkata", "Asia/Kathmandu", at: now),
      ]
      let (workspace, app) = (workspace, app)
      views = try zones.map { try ReportedView.create(workspace, app, $0) }
    }

    func launch(_ home: String, interval: Int) throws -> SampleApp {
      let run = try SampleApp(workspace, home: home, interval: interval, of: app, collector: server.address)
      runs.append(run)
      return run
    }

    func killServer() { server.kill() }
    func restartServer() async throws { server = try await RunningServer.start(workspace, port: server.port) }

    /// A time some quarter hours ago, in the middle of one, so that no zone's day begins close to it.
    func middle(ofQuarter age: Int, plus minutes: Double = 7.5) -> Date {
      Date(timeIntervalSince1970: ((now.timeIntervalSince1970 / 900).rounded(.down) - Double(age)) * 900 + minutes * 60)
    }

    /// Sends hits like other clients of the protocol: some alone, by URL or body, and the rest in batches.
    func send(_ hits: [WrittenHit]) async throws {
      for (index, hit) in hits.prefix(6).enumerated() {
        let payload = hit.payload(app.trackingID, at: Date())
        if index < 3 {
          try await request("/collect?\(payload)", body: nil)
        } else {
          try await request("/collect", body: payload)
        }
      }
      let rest = Array(hits.dropFirst(6))
      for start in stride(from: 0, to: rest.count, by: 20) {
        let lines = rest[start..<min(start + 20, rest.count)].map { $0.payload(app.trackingID, at: Date()) }
        try await request("/batch", body: lines.joined(separator: "\r\n"))
      }
    }

    private func request(_ path: String, body: String?) async throws {
      var request = URLRequest(url: try #require(URL(string: server.address + path)))
      if let body {
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
      }
      let (data, response) = try await URLSession.shared.data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == 200 && data.count == 35)
    }

    func expectVerified() throws {
      let (status, output, _) = try workspace.run(["verify", "--data", workspace.path("data")])
      #expect(status == 0, "\(output)")
    }
  }

  @Test func `hits of apps that are killed, offline and restarted are in three views exactly once`() async throws {
    let stage = try await Stage()
    try await livePeriodically(stage)
    try await liveByHand(stage)
    try await liveInTheBackground(stage)

    // The kill may come between a call and its line in the journal; the report decides about that call.
    let runs = try stage.runs.map { try $0.hits() }
    var hits = runs.flatMap(\.certain)
    let inspected = try stage.views[0].report("hits", stage.workspace, stage.app)["hits"] as? [[String: Any]]
    let known = (inspected ?? []).compactMap { $0["parameters"] as? [String: String] }
    for undecided in runs.map(\.undecided) {
      #expect(undecided.count <= 1)
      hits += undecided.filter { hit in
        known.contains { $0["t"] == hit.type && $0["ti"] == hit.parameters["ti"] ?? "none" }
      }
    }
    #expect(Set(hits.map(\.client)).count == 3, "a client stays the same over launches")
    for view in stage.views {
      let expected = ExpectedView(hits, zone: view.zone, received: stage.now)
      try await view.expect(expected, stage.workspace, stage.app, stage.server, token: stage.token)
    }
    try stage.expectVerified()
    #expect(stage.server.stop() == .code(0))
    // The same metrics without a server, from the directory alone.
    for view in stage.views {
      try await view.expect(
        ExpectedView(hits, zone: view.zone, received: stage.now), stage.workspace, stage.app)
    }
  }

  /// Dispatches every second; killed twice with unsent hits.
  private func livePeriodically(_ stage: Stage) async throws {
    stage.killServer()
    let offline = try stage.launch("periodic", interval: 1)
    try await offline.perform("tour one")
    // More than an hour ago there was one session, then two more.
    for (age, minutes, name) in [
      (8, 2.5, "Past start"), (8, 12.5, "Then"), (7, 4.0, "Next start"), (6, 6.0, "End end"),
    ] {
      let time = stage.middle(ofQuarter: age, plus: minutes)
      try await offline.perform("ago \(Date().timeIntervalSince(time)) \(name)")
    }
    #expect(try await eventually { offline.log.contains("The hits are kept") })
    #expect(offline.sent == 0)
    offline.kill()
    try await stage.restartServer()

    let next = try stage.launch("periodic", interval: 1)
    #expect(try await eventually { next.sent == offline.calls })
    try await next.perform("tour two")
    #expect(try await eventually { next.sent == offline.calls + next.calls })
    stage.killServer()
    try await next.perform("screen Tunnel")
    #expect(try await eventually { next.log.contains("The hits are kept") })
    next.kill()
    try await stage.restartServer()
    let last = try stage.launch("periodic", interval: 1)
    #expect(try await eventually { last.sent == 1 })
    #expect(try last.quit() == .code(0))
  }

  /// Dispatches by hand; app and server are killed in the middle of a stream of orders.
  private func liveByHand(_ stage: Stage) async throws {
    let app = try stage.launch("manual", interval: 0)
    try await app.perform("tour three")
    #expect(!app.log.contains("Sending hit(s)"))
    try await app.perform("dispatch")
    #expect(try await eventually { app.sent == app.calls })
    try app.begin("orders 7")
    #expect(try await eventually { app.sent > 100 })
    stage.killServer()
    let before = app.calls
    #expect(try await eventually { app.calls > before + 60 })
    try await stage.restartServer()
    // The pause after a failure applies to periodic dispatch only.
    let sent = app.sent
    #expect(try await eventually { app.sent > sent + 60 })
    app.kill()

    let next = try stage.launch("manual", interval: 0)
    try await next.perform("tour four")
    #expect(!next.log.contains("Sending hit(s)"))
    try await next.perform("dispatch")
    while next.results.last != "noData" {
      let count = next.results.count
      try await next.perform("once")
      try #require(try await eventually { next.results.count == count + 1 })
      try #require(next.results.last != "error", "\(next.log)")
    }
    #expect(try next.quit() == .code(0))
  }

  /// The documentation's loop, offline and online, and the one call that replaces it.
  private func liveInTheBackground(_ stage: Stage) async throws {
    stage.killServer()
    let app = try stage.launch("background", interval: 120)
    try await app.perform("browse 45")
    try await app.perform("background")
    #expect(try await eventually { app.notes.contains("task 1 ended") })
    #expect(app.results == ["error"])
    try await app.perform("foreground")
    try await stage.restartServer()
    try await app.perform("background")
    #expect(try await eventually { app.notes.contains("task 2 ended") })
    #expect(app.results == ["error", "good", "good", "good", "noData"])
    try await app.perform("foreground")
    #expect(app.notes.count { $0 == "periodic true" } == 2)
    try await app.perform("screen Last")
    #expect(try app.quit() == .code(0))
    #expect(app.sent == 45)

    let next = try stage.launch("background", interval: 120)
    try await next.perform("leave")
    #expect(try await eventually { next.notes.contains("left noData") })
    #expect(next.sent == 1)
    #expect(try next.quit() == .code(0))
  }

  // MARK: - Hits of the past

  @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
  func `hits from hours ago count on the days of each view, and once even if sent twice`(seed: UInt64)
    async throws
  {
    let stage = try await Stage()
    var hits = WrittenHit.random(seed: seed, times: { stage.middle(ofQuarter: $0, plus: $1) })
    // Two screens of one session in all views except the one whose midnight is between them.
    var evenings: [String: SentHit] = [:]
    for view in stage.views {
      let midnight = Self.midnight(in: view.zone, before: stage.now - 900)
      for (name, time) in [("Evening", midnight - 450), ("Morning", midnight + 450)] {
        let hit = SentHit(time: time, client: view.zone.identifier, parameters: ["t": "screenview", "cd": name])
        hits.append(WrittenHit(hit, number: hits.count))
        if name == "Evening" { evenings[view.id] = hit }
      }
    }
    // An invalid queue time counts as none.
    for queueTime in ["", "-5", "soon", "99999999999999999999"] {
      let hit = SentHit(time: stage.now, client: "odd", parameters: ["t": "event", "ec": "Odd", "ea": "\(queueTime)."])
      hits.append(WrittenHit(hit, number: hits.count, queueTime: queueTime))
    }

    // Where it is past four, the evening hit is late. Of these views, the one with the earliest time of day has its
    // evening in time everywhere else: there it is still the same day, or before four.
    let past = stage.views.filter { ReportedView.secondsOfDay(stage.now, in: $0.zone) >= 4 * 3_600 }
    let strict = try #require(
      past.min {
        ReportedView.secondsOfDay(stage.now, in: $0.zone) < ReportedView.secondsOfDay(stage.now, in: $1.zone)
      })
    let evening = try #require(evenings[strict.id])
    for view in stage.views {
      let expected = ExpectedView([evening], zone: view.zone, received: stage.now)
      #expect(expected.late.isEmpty == (view.id != strict.id), "\(view.zone) \(strict.zone)")
    }

    try await stage.send(hits)
    stage.killServer()
    try await stage.restartServer()
    // A lost response: the same hits again, with longer queue times.
    try await stage.send(hits)
    for view in stage.views {
      let expected = ExpectedView(hits.map(\.hit), zone: view.zone, received: stage.now)
      try await view.expect(expected, stage.workspace, stage.app, stage.server, token: stage.token)
    }
    try stage.expectVerified()
    #expect(stage.server.stop() == .code(0))
  }

  private static func midnight(in zone: TimeZone, before time: Date) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar.startOfDay(for: time)
  }
}
