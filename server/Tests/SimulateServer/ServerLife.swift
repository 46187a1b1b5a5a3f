import CTernDisk
import Foundation
import SimulatedDisk
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// One life of a server: its steps, what its disk was told, and what it showed after each step.
struct ServerLife: Sendable {
  /// A fault of the disk during a step.
  enum Fault: CaseIterable { case write, sync, full }

  /// A fault that comes with the nth call during a step.
  struct PlannedFault {
    let fault: Fault
    let call: UInt64
  }

  let seed: UInt64
  let steps: [ServerStep]
  /// The lines of the reports after each step.
  private(set) var reports: [[String]] = []
  private(set) var record = DiskRecord(start: DiskHistory(root: 0, seed: 0), operations: [])
  /// The rare paths of the life itself: faults that steps met.
  private(set) var paths: Set<RarePath> = []
  private(set) var omittedSyncs: Int = 0
  /// True if a step met its fault: another one may have made too few calls.
  private(set) var hasMetFault = false

  /// Lives a life in an empty folder.
  ///
  /// - Parameter firstFault: The fault of the first step, the only one then; `nil` for random ones in any step.
  init(
    seed: UInt64, stepCount: Int, folder: String, omittedSyncs: String? = nil, firstFault: PlannedFault? = nil
  ) async throws {
    self.seed = seed
    var source = ServerSteps(seed: seed)
    steps = source.steps(stepCount)
    var generator = FastGenerator(seed: seed ^ 0x5DEE_CE66)
    let start = DiskHistory(root: try DiskJournal.inode(folder), seed: seed)
    try DiskJournal.begin(folder)
    defer { DiskJournal.end() }
    tern_disk_omit_syncs(omittedSyncs)
    var server: SimulatedServer?
    for (number, step) in steps.enumerated() {
      DiskJournal.mark(2 * number)
      let planned = firstFault == nil ? Self.randomFault(&generator) : number == 0 ? firstFault : nil
      Self.plan(planned)
      var attempts = 0
      while true {
        do {
          if step.endsServer {
            let closing = server
            server = nil
            try await closing?.close()
            if case .rebuild = step { try SimulatedServer.rebuild("\(folder)/data") }
          }
          let current = if let server { server } else { try await SimulatedServer("\(folder)/data") { _ in } }
          server = current
          try await current.runJobs()
          try await current.perform(step)
          break
        } catch {
          if let fault = planned?.fault { paths.insert(.fault(fault, step)) }
          hasMetFault = hasMetFault || tern_disk_faults() > 0
          tern_disk_fail(0, 0)
          attempts += 1
          guard attempts < 4 else {
            throw SimulationFailure("Step \(number), \(step.name), fails without a fault: \(error)")
          }
        }
      }
      hasMetFault = hasMetFault || tern_disk_faults() > 0
      tern_disk_fail(0, 0)
      DiskJournal.mark(2 * number + 1)
      reports.append(try await server?.reports() ?? [])
      if let report = try await server?.warehouse.reader.verify(), !report.isClean {
        throw SimulationFailure(
          "After step \(number), \(step.name), tern verify finds \(report.differences.prefix(3)) \(report.problems.prefix(3))"
        )
      }
    }
    try await server?.close()
    self.omittedSyncs = Int(tern_disk_omissions())
    record = DiskRecord(start: start, operations: DiskJournal.operations())
    try checkRecord(folder)
  }

  /// Checks that the record has everything that is in the folder.
  private func checkRecord(_ folder: String) throws {
    var history = record.start
    for operation in record.operations {
      // What a failed sync loses is still seen by the program.
      if case .failSync = operation { return }
      history.apply(operation)
    }
    var generator = FastGenerator(seed: seed)
    let image = history.image(after: .everything, using: &generator)
    for (path, content) in image.files where !path.hasSuffix("-shm") {
      guard FileManager.default.contents(atPath: folder + path).map(Array.init) == content else {
        throw SimulationFailure("\(path) was written in a way that isn't recorded.")
      }
    }
  }

  private static func randomFault(_ generator: inout FastGenerator) -> PlannedFault? {
    guard Int.random(in: 0..<8, using: &generator) == 0 else { return nil }
    return Fault.allCases.randomElement(using: &generator).map {
      PlannedFault(fault: $0, call: UInt64.random(in: 1...60, using: &generator))
    }
  }

  private static func plan(_ planned: PlannedFault?) {
    guard let planned else { return tern_disk_fail(0, 0) }
    let kind =
      switch planned.fault {
      case .write: TERN_DISK_FAIL_WRITE
      case .sync: TERN_DISK_FAIL_SYNC
      case .full: TERN_DISK_FULL
      }
    tern_disk_fail(Int32(kind.rawValue), planned.call)
  }
}
