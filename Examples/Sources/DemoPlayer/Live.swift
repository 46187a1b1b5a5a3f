import Foundation
import Tern
import TernEvents

/// Uses the app in real time: each install makes one visit after the other.
struct Live {
  private let options: Options
  private let journal: Journal

  init(_ options: Options) throws {
    self.options = options
    journal = try Journal(path: options.journal)
  }

  func run() async throws -> Tally {
    let end = options.seconds > 0 ? ContinuousClock.now + .seconds(options.seconds) : nil
    let transport = SystemTransport()
    var players: [Int: Player] = [:]
    var generator = FastGenerator(seed: options.seed &+ UInt64(options.first))
    // Interleaves the steps of several visits, like a crowd.
    var visits: [Course] = []
    // Ends with its parent: a parent that is killed cannot end it.
    let parent = getppid()
    var due = ContinuousClock.now
    while getppid() == parent, end.map({ ContinuousClock.now < $0 }) ?? true, !isEnded {
      if ContinuousClock.now < due {
        try await Task.sleep(until: min(due, .now + .seconds(1)))
        continue
      }
      if visits.count < min(options.count, Self.together) {
        let number = options.first + Int.random(in: 0..<options.count, using: &generator)
        if !visits.contains(where: { $0.number == number }) {
          let profile = Profile(number: number, days: options.days, seed: options.seed)
          let player = try players[number] ?? player(profile, transport)
          players[number] = player
          player.beginSession()
          visits.append(Course(number: number, Visit(profile.circumstances(day: options.days), using: &generator)))
        }
      }
      let index = Int.random(in: 0..<visits.count, using: &generator)
      if let step = visits[index].steps.popLast() { players[visits[index].number]?.perform(step) }
      // A visit takes as long as its events are to take.
      due += .milliseconds(Double(pace(at: SystemClock().wallTime)) * visits[index].eventsPerStep)
      if visits[index].steps.isEmpty { visits.remove(at: index) }
    }
    var tally = Tally()
    for player in players.values {
      try await player.deliver(within: .seconds(60))
      await player.quit()
      tally.add(player.tally)
      tally.installs += 1
    }
    return tally
  }

  private var isEnded: Bool { options.until.map { FileManager.default.fileExists(atPath: $0) } ?? false }

  /// The most visits at the same time.
  private static let together = 8

  /// The visit of an install.
  private struct Course {
    let number: Int
    /// The steps to come, the next one last.
    var steps: [Visit.Step]
    let eventsPerStep: Double

    init(number: Int, _ visit: Visit) {
      self.number = number
      steps = visit.steps.reversed()
      let events = visit.steps.count { if case .event = $0 { true } else { false } }
      eventsPerStep = Double(events) / Double(max(visit.steps.count, 1))
    }
  }

  private func player(_ profile: Profile, _ transport: SystemTransport) throws -> Player {
    try Player(
      options, profile: profile, day: options.days, seed: .random(in: .min ... .max), clock: SystemClock(),
      transport: transport, journal: journal)
  }

  private func pace(at time: Timestamp) -> Int {
    let hour = Int(time.millisecondsSince1970 / 3_600_000 % 24)
    return options.pace.count == 24 ? options.pace[hour] : options.pace[0]
  }
}
