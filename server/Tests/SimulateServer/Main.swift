import ArgumentParser
import Foundation
import SimulatedDisk
import TernBase
import TernEvents

/// `Scripts/simulate --server`
@main
struct SimulateServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate-server",
    abstract: "Runs a server's stores on a disk that forgets and tears what wasn't synced, and checks what is left.")

  @Option(help: "The number of states after a power loss to check.")
  var states = 2_000

  @Option(help: "The seed of the first life; the next ones have the following numbers.")
  var seed: UInt64?

  @Option(help: "The steps of each life.")
  var steps = 40

  @Option(help: "The states that are checked of each life.")
  var statesPerLife = 100

  @Option(
    help: ArgumentHelp(
      "Omit syncs of files with such an end, as a fault that must be found; / for folders.", valueName: "end"))
  var omitSyncs: String?

  @Option(help: "A folder in memory.")
  var folder = "/dev/shm"

  @Flag(help: "Check states after the first broken promise, too.")
  var all = false

  func run() async throws {
    let first = seed ?? UInt64.random(in: 1...1_000_000_000)
    say("seed \(first)")
    let work = "\(folder)/tern-simulate-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: work) }
    var (checked, broken, lives) = (0, 0, 0)
    let start = ContinuousClock.now
    while checked < states {
      let number = first + UInt64(lives)
      lives += 1
      let live = "\(work)/live"
      try? FileManager.default.removeItem(atPath: live)
      try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
      let life: ServerLife
      do {
        life = try await ServerLife(seed: number, stepCount: steps, folder: live, omittedSyncs: omitSyncs)
      } catch {
        say("life \(number): \(error)")
        throw ExitCode.failure
      }
      let found = try await check(life, count: min(statesPerLife, states - checked), work)
      checked += min(statesPerLife, states - checked)
      broken += found
      let seconds = (ContinuousClock.now - start).components.seconds
      say(
        "\(checked) states of \(lives) lives, \(broken) broken promises, \(seconds) s, \(life.operations.count) operations, \(life.faults) faults"
      )
      if broken > 0, !all { throw ExitCode.failure }
    }
  }

  /// Checks states of a life, several at a time.
  private func check(_ life: ServerLife, count: Int, _ work: String) async throws -> Int {
    var generator = FastGenerator(seed: life.seed ^ 0xD1CE)
    // The places at which the power is lost, each after an operation.
    let places = (0..<count).map { _ in Int.random(in: 1...life.operations.count, using: &generator) }.sorted()
    var history = DiskHistory(root: life.root, seed: life.seed)
    var applied = 0
    let width = ProcessInfo.processInfo.activeProcessorCount
    return try await withThrowingTaskGroup(of: Int.self) { group in
      var broken = 0
      for (number, place) in places.enumerated() {
        while applied < place {
          history.apply(life.operations[applied])
          applied += 1
        }
        let loss = PowerLoss.allCases.randomElement(using: &generator) ?? .nothing
        let image = history.image(after: loss, using: &generator)
        let mark = history.lastMark ?? 0
        let check = StateCheck(
          life: life, confirmed: (mark + 1) / 2, hasBegun: history.lastMark.map { $0 % 2 == 0 } ?? false)
        if number >= width, let found = try await group.next() { broken += found }
        group.addTask {
          let folder = "\(work)/state-\(number % (width * 4))"
          guard let wrong = try await check.run(image, in: folder) else { return 0 }
          let step = check.hasBegun ? "during \(life.steps[check.confirmed].name)" : "after \(check.confirmed) steps"
          say(
            "life \(life.seed), power lost after operation \(place) of \(life.operations.count) (\(loss)), \(step):\n  \(wrong)"
          )
          return 1
        }
      }
      for try await found in group { broken += found }
      return broken
    }
  }
}

/// Prints a line at once, also to a file.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
