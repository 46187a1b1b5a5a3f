import AppCatalog
import Foundation
import SimulatedDisk
import TernBase
import Warehouse
import WarehouseSQLite

/// The check of a server that starts on a disk after a power loss.
struct StateCheck: Sendable {
  let life: ServerLife
  /// The number of steps that the server had confirmed.
  let confirmed: Int
  /// True if the next step had begun.
  let hasBegun: Bool

  /// Opens what a power loss has left, and compares it with what was confirmed.
  ///
  /// - Returns: What is wrong; `nil` if nothing is.
  func run(_ image: DiskImage, in folder: String) async throws -> String? {
    try image.write(to: folder)
    let messages = Locked<[String]>([])
    do {
      let server = try await SimulatedServer("\(folder)/data") { message in messages.withLock { $0.append(message) } }
      let wrong = try await check(server, folder)
      try await server.close()
      return wrong
    } catch {
      return "The server fails: \(error)"
    }
  }

  private func check(_ server: SimulatedServer, _ folder: String) async throws -> String? {
    try await server.runJobs()
    if hasBegun {
      try await server.perform(life.steps[confirmed])
      try await server.runJobs()
    }
    let done = hasBegun ? confirmed + 1 : confirmed
    let reports = try await server.reports()
    let report = try await server.warehouse.reader.verify()
    guard report.isClean else { return "tern verify: \(report.differences.prefix(3)) \(report.problems.prefix(3))" }
    guard done > 0 else { return nil }
    let expected = life.reports[done - 1]
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
  /// Writes the files and folders below a folder, which is emptied.
  func write(to folder: String) throws {
    try? FileManager.default.removeItem(atPath: folder)
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
