import Foundation
import Tern
import TernEvents

/// Plays the past days of some installs, one after the other, on a story clock.
struct History {
  private let options: Options
  private let journal: Journal
  private static let day: Int64 = 86_400_000
  private static let longestVisit: Int64 = 3_600_000

  init(_ options: Options) throws {
    self.options = options
    journal = try Journal(path: options.journal)
  }

  func run() async throws -> Tally {
    var tally = Tally()
    let transport = TimelessTransport(base: SystemTransport())
    for number in options.first..<options.first + options.count {
      let added = try await live(Profile(number: number, days: options.days, seed: options.seed), transport)
      tally.add(added)
    }
    return tally
  }

  private func live(_ profile: Profile, _ transport: any Transport) async throws -> Tally {
    var generator = FastGenerator(seed: options.seed &* 31 &+ UInt64(profile.number))
    let now = SystemClock().wallTime.millisecondsSince1970
    let today = now - now % Self.day
    // No visit runs past midnight, since the journal names days, and none into the future.
    func latest(_ midnight: Int64) -> Int64 { min(midnight + Self.day, now) - Self.longestVisit }
    var tally = Tally()
    var last: Player?
    var crashReports: [UInt8] = []
    var isSubscriber = false
    // The history ends shortly before now, and `live` goes on from there.
    for day in profile.firstDay...options.days where isActive(profile, day, &generator) {
      let midnight = today - Int64(options.days - day) * Self.day
      // Sessions are in the waking hours of the person's time zone; all of a day's sessions are on that day in UTC.
      let hour = Int64.random(in: 7...21, using: &generator) * 3_600_000
      let local = (hour - Int64(profile.timeZoneOffsetMinutes) * 60_000 + Self.day) % Self.day
      let start = min(local, Self.day - 7_200_000)
      guard midnight + start < latest(midnight) else { break }
      let clock = StoryClock(at: Timestamp(millisecondsSince1970: midnight + start))
      await last?.quit()
      let player = try Player(
        options, profile: profile, day: day, seed: generator.next(), clock: clock, transport: transport,
        journal: journal)
      var circumstances = profile.circumstances(day: day)
      circumstances.isFirst = last == nil && profile.firstDay > 0
      circumstances.isSubscriber = isSubscriber
      isSubscriber = visit(player, circumstances, clock, until: latest(midnight), &generator)
      tally.add(player.tally)
      if let report = player.crashReport { crashReports += report + [UInt8(ascii: "\n")] }
      last = player
    }
    try await last?.deliver(within: .seconds(120))
    await last?.quit()
    if !crashReports.isEmpty { try await report(crashReports, transport) }
    tally.installs = last == nil ? 0 : 1
    return tally
  }

  /// Sends crashes, as a crash reporter does at a later launch.
  private func report(_ body: [UInt8], _ transport: any Transport) async throws {
    let headers = [NativeProtocol.keyHeader: options.key, "Content-Type": NativeProtocol.contentType]
    let url = options.collector.appending(path: NativeProtocol.path)
    let deadline = ContinuousClock.now + .seconds(120)
    while true {
      let request = TransportRequest(url: url, headers: headers, body: body, timeout: .seconds(30))
      if case .response(let response) = await transport.send(request), response.status == 200 { return }
      guard ContinuousClock.now < deadline else { throw Undelivered(left: 1) }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Plays the visits of a day; true if someone is a subscriber afterwards.
  private func visit(
    _ player: Player, _ circumstances: Circumstances, _ clock: StoryClock, until end: Int64,
    _ generator: inout FastGenerator
  ) -> Bool {
    var circumstances = circumstances
    for number in 0..<Int.random(in: 1...3, using: &generator) {
      if number > 0 { clock.advance(by: .seconds(Int.random(in: 60...1_800, using: &generator))) }
      guard clock.wallTime.millisecondsSince1970 < end else { break }
      player.beginSession()
      let visit = Visit(circumstances, using: &generator)
      for step in visit.steps {
        if case .wait(let milliseconds) = step { clock.advance(by: .milliseconds(milliseconds)) }
        player.perform(step)
      }
      circumstances.isSubscriber = visit.isSubscriber
      guard player.crashReport == nil else { break }
      circumstances.isFirst = false
    }
    return circumstances.isSubscriber
  }

  private func isActive(_ profile: Profile, _ day: Int, _ generator: inout FastGenerator) -> Bool {
    // More often on weekends, less as weeks go by, and always on the first day.
    let weekend = (day % 7) >= 5 ? 1.35 : 1.0
    let age = Double(day - profile.firstDay)
    let chance = profile.keenness * weekend * (0.6 + 0.4 / (1 + age / 10))
    return Double.random(in: 0..<1, using: &generator) < chance || day == profile.firstDay && profile.firstDay > 0
  }
}

extension Tally {
  mutating func add(_ other: Tally) {
    events += other.events
    screens += other.screens
    sessions += other.sessions
    installs += other.installs
  }
}
