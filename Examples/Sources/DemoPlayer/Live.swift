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
    var players: [Player] = []
    var circumstances: [Circumstances] = []
    for number in options.first..<options.first + options.count {
      let profile = Profile(number: number, days: options.days, seed: options.seed)
      circumstances.append(profile.circumstances(day: options.days))
      players.append(
        try Player(
          options, profile: profile, day: options.days, seed: .random(in: .min ... .max), clock: SystemClock(),
          transport: transport, journal: journal))
    }
    var generator = FastGenerator(seed: options.seed &+ UInt64(options.first))
    // Interleaves the steps of several visits, like a crowd.
    var visits: [[Visit.Step]] = Array(repeating: [], count: players.count)
    // Ends with its parent: a parent that is killed cannot end it.
    let parent = getppid()
    while getppid() == parent, end.map({ ContinuousClock.now < $0 }) ?? true {
      let index = Int.random(in: 0..<players.count, using: &generator)
      if visits[index].isEmpty {
        players[index].beginSession()
        visits[index] = Visit(circumstances[index], using: &generator).steps.reversed()
      }
      if let step = visits[index].popLast() { players[index].perform(step) }
      try await Task.sleep(for: .milliseconds(options.pace))
    }
    var tally = Tally()
    for player in players {
      try await player.deliver(within: .seconds(60))
      await player.quit()
      tally.add(player.tally)
      tally.installs += 1
    }
    return tally
  }
}
