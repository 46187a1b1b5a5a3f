import AppCatalog
import Foundation
import SimulatedDisk
import TernBase
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// The check of a server that starts on a disk after a power loss.
struct StateCheck: Sendable {
  let life: ServerLife
  /// The number of steps that the server had confirmed.
  let confirmed: Int
  /// True if the next step had begun.
  let hasBegun: Bool

  /// The check of a state of a life's disk.
  init(life: ServerLife, _ history: DiskHistory) {
    self.life = life
    // Each step has a mark before it and one after it.
    let mark = history.lastMark
    confirmed = ((mark ?? 0) + 1) / 2
    hasBegun = mark.map { $0 % 2 == 0 } ?? false
  }

  /// The moment in the life, in words.
  var words: String { hasBegun ? "during \(life.steps[confirmed].name)" : "after \(confirmed) steps" }

  /// What is wrong, if anything is, and the rare paths that were taken.
  struct Result: Sendable {
    var wrong: String?
    var paths: Set<RarePath>
  }

  /// Opens what a power loss has left, and compares it with what was confirmed.
  func run(_ image: DiskImage, in folder: String) async throws -> Result {
    try image.write(to: folder)
    let messages = Locked<[String]>([])
    var result = Result(paths: RarePath.paths(of: image))
    do {
      let server = try await SimulatedServer("\(folder)/data") { message in messages.withLock { $0.append(message) } }
      if let job = server.waitingJob { result.paths.insert(.repeated(job)) }
      result.wrong = try await check(server, folder)
    } catch {
      result.wrong = "The server fails: \(error)"
    }
    if messages.withLock({ $0.contains { $0.contains("of a transaction that did not end") } }) {
      result.paths.insert(.unknownRows)
    }
    return result
  }

  private func check(_ server: SimulatedServer, _ folder: String) async throws -> String? {
    if let job = server.waitingJob, !hasBegun {
      try await server.close()
      return "The job \(job.rawValue) was done, and waits again."
    }
    let server = try await finish(server)
    let wrong = try await difference(server)
    try await server.close()
    if let wrong { return wrong }
    return hasBegun || confirmed > 0 ? try await checkBackup(folder) : nil
  }

  private func difference(_ server: SimulatedServer) async throws -> String? {
    let report = try await server.warehouse.reader.verify()
    guard report.isClean else { return "tern verify: \(report.differences.prefix(3)) \(report.problems.prefix(3))" }
    let done = hasBegun ? confirmed + 1 : confirmed
    guard done > 0 else { return nil }
    return Self.difference(try await server.reports(), from: life.reports[done - 1])
  }

  /// Does what the server's clients do after a restart: the work that waits, and the step that was not confirmed.
  ///
  /// - Returns: The server, or the one after it.
  func finish(_ server: SimulatedServer) async throws -> SimulatedServer {
    try await server.runJobs()
    guard hasBegun else { return server }
    var server = server
    if case .rebuild = life.steps[confirmed] {
      try await server.close()
      try SimulatedServer.rebuild(server.directory)
      server = try await SimulatedServer(server.directory) { _ in }
    }
    try await server.perform(life.steps[confirmed])
    try await server.runJobs()
    return server
  }

  /// Restores the last backup that was confirmed.
  private func checkBackup(_ folder: String) async throws -> String? {
    for step in (0..<confirmed).reversed() {
      guard case .backup(let number) = life.steps[step] else { continue }
      _ = try Backup.restore("\(folder)/data-backup-\(number)", to: "\(folder)/restored")
      let server = try await SimulatedServer("\(folder)/restored") { _ in }
      let reports = try await server.reports()
      try await server.close()
      return Self.difference(reports, from: life.reports[step]).map { "Backup \(number): \($0)" }
    }
    return nil
  }

  private static func difference(_ reports: [String], from expected: [String]) -> String? {
    guard reports != expected else { return nil }
    let difference = reports.difference(from: expected)
    let lines = difference.prefix(8).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    return
      "Reports differ in \(difference.count) lines (- expected, + found):\n    \(lines.joined(separator: "\n    "))"
  }
}

extension DiskImage {
  /// Writes the files and folders below a new folder.
  func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for path in folders {
      try FileManager.default.createDirectory(atPath: folder + path, withIntermediateDirectories: true)
    }
    for (path, content) in files {
      guard FileManager.default.createFile(atPath: folder + path, contents: Data(content)) else {
        throw SimulationFailure("\(folder + path) can't be written.")
      }
    }
  }
}
