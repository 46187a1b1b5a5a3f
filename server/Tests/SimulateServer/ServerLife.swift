import CTernDisk
import Foundation
import SimulatedDisk
import TernEvents

/// One life of a server: its steps, what its disk was told, and what it showed after each step.
struct ServerLife: Sendable {
  /// A fault of the disk during a life.
  enum Fault: CaseIterable { case none, write, sync, full }

  let seed: UInt64
  let steps: [ServerStep]
  /// The lines of the reports after each step.
  private(set) var reports: [[String]] = []
  private(set) var operations: [DiskOperation] = []
  private(set) var root: UInt64 = 0
  /// The number of steps that met a fault, and were done again.
  private(set) var faults = 0

  /// Lives a life in an empty folder.
  init(seed: UInt64, stepCount: Int, folder: String, omittedSyncs: String?) async throws {
    self.seed = seed
    var source = ServerSteps(seed: seed)
    steps = source.steps(stepCount)
    var generator = FastGenerator(seed: seed ^ 0x5DEE_CE66)
    root = try DiskJournal.inode(folder)
    try DiskJournal.begin(folder)
    defer { DiskJournal.end() }
    tern_disk_omit_syncs(omittedSyncs)
    var server: SimulatedServer?
    for (number, step) in steps.enumerated() {
      DiskJournal.mark(2 * number)
      let fault = Int.random(in: 0..<8, using: &generator) == 0 ? Fault.allCases.randomElement(using: &generator) : nil
      Self.plan(fault, &generator)
      var attempts = 0
      while true {
        do {
          if case .restart = step {
            let closing = server
            server = nil
            try await closing?.close()
          }
          let current = if let server { server } else { try await SimulatedServer("\(folder)/data") { _ in } }
          server = current
          try await current.runJobs()
          try await current.perform(step)
          break
        } catch {
          tern_disk_fail(0, 0)
          attempts += 1
          faults += 1
          guard attempts < 4 else {
            throw SimulationFailure("Step \(number), \(step.name), fails without a fault: \(error)")
          }
        }
      }
      tern_disk_fail(0, 0)
      DiskJournal.mark(2 * number + 1)
      reports.append(try await server?.reports() ?? [])
    }
    try await server?.close()
    operations = DiskJournal.operations()
  }

  private static func plan(_ fault: Fault?, _ generator: inout FastGenerator) {
    let call = UInt64.random(in: 1...20, using: &generator)
    switch fault {
    case nil, .some(.none): tern_disk_fail(0, 0)
    case .write: tern_disk_fail(Int32(TERN_DISK_FAIL_WRITE.rawValue), call)
    case .sync: tern_disk_fail(Int32(TERN_DISK_FAIL_SYNC.rawValue), call)
    case .full: tern_disk_fail(Int32(TERN_DISK_FULL.rawValue), call)
    }
  }
}
