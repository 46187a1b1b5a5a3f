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
      "Omit syncs of files with such a path, like '*.rows', as a fault that must be found; / for all folders.",
      valueName: "pattern"))
  var omitSyncs: String?

  @Option(help: "A folder in memory.")
  var folder = "/dev/shm"

  @Option(help: ArgumentHelp("Keep the states that break a promise, as the power loss left them.", valueName: "folder"))
  var keep: String?

  @Flag(help: "Check states after the first broken promise, too.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Instead of lives with random faults, check first starts with a fault at each of the first calls that write or sync.",
      valueName: "calls"))
  var firstStarts: UInt64?

  func run() async throws {
    let first = seed ?? UInt64.random(in: 1...1_000_000_000)
    say("seed \(first)")
    let work = "\(folder)/tern-simulate-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: work) }
    if let firstStarts { return try await checkFirstStarts(calls: firstStarts, seed: first, work) }
    var (checked, broken, lives, omitted) = (0, 0, 0, 0)
    var paths: [RarePath: Int] = [:]
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
      let results = try await check(life, count: min(statesPerLife, states - checked), work)
      checked += results.count
      omitted += life.omittedSyncs
      broken += results.count { $0.wrong != nil }
      for path in results.reduce(into: Array(life.paths), { $0 += $1.paths }) { paths[path, default: 0] += 1 }
      let seconds = (ContinuousClock.now - start).components.seconds
      say("\(checked) states of \(lives) lives, \(broken) broken promises, \(seconds) s")
      if broken > 0, !all { throw ExitCode.failure }
    }
    for path in RarePath.all { say("\(paths[path] ?? 0) × \(path)") }
    let missed = RarePath.all.filter { paths[$0] == nil }
    if !missed.isEmpty {
      say("This run says nothing about what it didn't meet: \(missed.map(\.description).joined(separator: "; ")).")
    }
    if let omitSyncs, omitted == 0 { say("No file like \(omitSyncs) was synced.") }
    if broken > 0 { throw ExitCode.failure }
  }

  /// Meets each fault of the disk at each of the first calls of a first start, which is made again until it succeeds, and checks what a
  /// power loss leaves of what was confirmed afterwards.
  private func checkFirstStarts(calls: UInt64, seed: UInt64, _ work: String) async throws {
    var (starts, broken) = (0, 0)
    for fault in ServerLife.Fault.allCases {
      for call in 1...max(calls, 1) {
        let live = "\(work)/live"
        try? FileManager.default.removeItem(atPath: live)
        try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
        let life = try await ServerLife(
          seed: seed, stepCount: 1, folder: live, firstFault: ServerLife.PlannedFault(fault: fault, call: call))
        guard life.hasMetFault else { break }
        starts += 1
        var generator = FastGenerator(seed: seed)
        let history = life.record.history(through: life.record.operations.count)
        let check = StateCheck(life: life, history)
        let folder = "\(work)/state-\(starts)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let image = history.image(after: .nothing, using: &generator)
        guard let wrong = try await check.run(image, in: folder).wrong else { continue }
        broken += 1
        say("a first start with the fault \(fault) at call \(call), power lost \(check.words):\n  \(wrong)")
      }
    }
    say("\(starts) first starts, \(broken) broken promises")
    guard starts > 0, broken == 0 else { throw ExitCode.failure }
  }

  /// The starts after which the power is lost again, and the states of each.
  private static let (secondStarts, statesPerStart) = (4, 10)

  private func check(_ life: ServerLife, count: Int, _ work: String) async throws -> [StateCheck.Result] {
    var generator = FastGenerator(seed: life.seed ^ 0xD1CE)
    let seconds = min(Self.secondStarts, count / (2 * Self.statesPerStart))
    var results = try await check(
      life.record, count: count - seconds * Self.statesPerStart, work, &generator, ""
    ) { StateCheck(life: life, $0) }
    for number in 0..<seconds {
      let place = Int.random(in: 1...life.record.operations.count, using: &generator)
      let history = life.record.history(through: place)
      let losesPower = Bool.random(using: &generator)
      let folder = "\(work)/second-\(number)"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let first = "\(losesPower ? "power lost" : "killed") after operation \(place), then "
      do {
        let check = StateCheck(life: life, history)
        let start = try await SecondStart(check, history, losesPower: losesPower, in: folder, using: &generator)
        results += try await self.check(
          start.record, count: Self.statesPerStart, work, &generator, first
        ) { _ in check }
      } catch {
        say("life \(life.seed), \(first)the server fails: \(error)")
        results.append(StateCheck.Result(wrong: "\(error)", paths: []))
      }
    }
    return results
  }

  /// Checks states of a disk, several at a time.
  private func check(
    _ record: DiskRecord, count: Int, _ work: String, _ generator: inout FastGenerator, _ first: String,
    _ makeCheck: (DiskHistory) -> StateCheck
  ) async throws -> [StateCheck.Result] {
    // The places at which the power is lost, each after an operation.
    let places = (0..<count).map { _ in Int.random(in: 1...record.operations.count, using: &generator) }.sorted()
    let width = ProcessInfo.processInfo.activeProcessorCount
    var states: [(place: Int, loss: PowerLoss, image: DiskImage, check: StateCheck)] = []
    var results: [StateCheck.Result] = []
    var history = record.start
    var applied = 0
    for place in places {
      while applied < place {
        history.apply(record.operations[applied])
        applied += 1
      }
      let loss = PowerLoss.allCases.randomElement(using: &generator) ?? .nothing
      states.append((place, loss, history.image(after: loss, using: &generator), makeCheck(history)))
      if states.count == 8 * width || place == places.last {
        results += try await run(states, work, "\(first)power lost after operation", of: record.operations.count)
        states = []
      }
    }
    return results
  }

  private func run(
    _ states: [(place: Int, loss: PowerLoss, image: DiskImage, check: StateCheck)], _ work: String, _ words: String,
    of operations: Int
  ) async throws -> [StateCheck.Result] {
    let width = ProcessInfo.processInfo.activeProcessorCount
    return try await withThrowingTaskGroup(of: StateCheck.Result.self) { group in
      var results: [StateCheck.Result] = []
      for (number, state) in states.enumerated() {
        if number >= width, let result = try await group.next() { results.append(result) }
        group.addTask { [keep] in
          // A name of its own: what can't be removed on a busy machine must not be in the way of later states.
          let folder = "\(work)/state-\(state.check.life.seed)-\(state.place)-\(number)"
          let result = try await state.check.run(state.image, in: folder)
          try? FileManager.default.removeItem(atPath: folder)
          guard let wrong = result.wrong else { return result }
          if let keep { try state.image.write(to: "\(keep)/\(state.check.life.seed)-\(state.place)") }
          say(
            "life \(state.check.life.seed), \(words) \(state.place) of \(operations) (\(state.loss)), \(state.check.words):\n  \(wrong)"
          )
          return result
        }
      }
      for try await result in group { results.append(result) }
      return results
    }
  }
}

/// Prints a line at once, also to a file.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
