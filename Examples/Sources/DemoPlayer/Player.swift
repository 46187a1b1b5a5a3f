import Foundation
import Tern
import TernEvents

/// One install of Demo Player: its calls of the SDK, and a journal of them.
final class Player {
  private let client: TernClient
  private let install: Int
  private let journal: Journal
  private let clock: any TernClock
  private let user: String?
  private let device: Device
  private let crashID: UniqueID
  /// The crash of this process as a line of a request, which a later process sends.
  private(set) var crashReport: [UInt8]?
  private(set) var tally = Tally()

  /// Launches the app, which opens the queue.
  ///
  /// - Parameter seed: The seed of identifiers. Equal ones in two launches would make their events duplicates.
  init(
    _ options: Options, profile: Profile, day: Int, seed: UInt64, clock: any TernClock, transport: any Transport,
    journal: Journal
  ) throws {
    install = profile.number
    self.journal = journal
    self.clock = clock
    var configuration = TernClient.Configuration(key: options.key, collector: options.collector)
    configuration.queueDirectory = options.directory.appending(path: "install-\(profile.number)")
    // In a story, the app may stay closed for weeks; its events must not expire in the meantime.
    configuration.maximumEventAge = .seconds(400 * 86_400)
    // Sessions are manual so that the journal can name each; a signed-in user would add `identify`.
    configuration.sessions = .manual
    let device = profile.device(day: day)
    self.device = device
    var generator = FastGenerator(seed: seed &+ 1)
    crashID = UniqueID.random(using: &generator)
    user = profile.number % 3 == 0 ? "member-\(profile.number)" : nil
    let environment = TernClient.Environment(
      clock: clock, seed: seed, transport: transport, device: { device })
    client = try TernClient(configuration, environment: environment)
    if let user { client.identify(user) }
  }

  func beginSession() {
    journal.recording(entry("session")) { client.startSession() }
    tally.sessions += 1
  }

  func perform(_ step: Visit.Step) {
    switch step {
    case .screen(let name):
      journal.recording(entry("screen \(name)")) { client.screen(name) }
      tally.screens += 1
    case .event(let name, let properties, let priority):
      journal.recording(entry("event \(name)")) { client.track(name, properties, priority: priority) }
      tally.events += 1
    case .error(let facts): client.record(facts)
    case .crash(let facts):
      let event = Event(
        id: crashID, kind: .crash, name: facts.type, time: clock.wallTime, install: client.installID,
        session: client.sessionID, user: user, details: facts.encodedMember())
      crashReport = event.line(device: device.encodedMembers())
    case .wait: break
    }
  }

  /// Sends waiting events, with retries until the deadline.
  func deliver(within limit: Duration) async throws {
    let deadline = ContinuousClock.now + limit
    while true {
      switch await client.flush() {
      case .sent, .nothingToSend:
        if client.status.queued + client.status.inFlight == 0 { return }
      case .offline, .failed, .outOfTime:
        try await Task.sleep(for: .milliseconds(100))
      }
      if ContinuousClock.now > deadline { throw Undelivered(left: client.status.queued) }
    }
  }

  /// Shuts the app down.
  func quit() async { await client.shutdown() }

  private func entry(_ text: String) -> String {
    "\(dayText(clock.wallTime)) \(install) \(text)"
  }
}

/// An error: events were still waiting at the end of a run.
struct Undelivered: Error, CustomStringConvertible {
  let left: Int
  var description: String { "\(left) events could not be delivered in time; they wait in the queue" }
}

/// The UTC date as `YYYY-MM-DD`.
private func dayText(_ time: Timestamp) -> String {
  Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1_000)
    .formatted(.iso8601.year().month().day())
}
