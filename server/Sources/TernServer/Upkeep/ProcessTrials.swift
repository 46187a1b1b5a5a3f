import Foundation
import TernChildProcess
import Warehouse
package import WarehouseSQLite
import WarehouseUpkeep

/// Tries work on stored rows in a process of this program.
package struct ProcessTrials: WorkTrials {
  /// The time after which a trial is given up.
  private static let limit: Duration = .seconds(600)

  /// The signals of traps and of wrong accesses to memory.
  private static let crashes: Set<Int32> = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

  /// The command of the program that reads a ``Trial``.
  package static let command = "try-work"

  /// The work, as JSON in standard input.
  package struct Trial: Codable {
    package var work: DerivedWork
    /// The rows that exist; `nil` for none.
    package var rows: ClosedRange<Int64>?
  }

  package let directory: String
  /// The program that tries the work.
  package var program = Self.ownProgram

  package func endsProcess(_ work: DerivedWork, rows: ClosedRange<Int64>?) async throws -> Bool {
    // In a file, because others on this machine can read a process's arguments.
    let file = DataDirectory(path: directory).workPath + "/trial.json"
    try JSONEncoder().encode(Trial(work: work, rows: rows)).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let input = try FileHandle(forReadingFrom: URL(filePath: file))
    let process = try ChildProcess(
      program, [Self.command, "--data", directory], environment: ["SWIFT_BACKTRACE": "enable=no"],
      input: input, output: nil, error: nil)
    let exit = await withTaskCancellationHandler {
      let limit = Task {
        try await Task.sleep(for: Self.limit)
        process.send(SIGTERM)
      }
      defer { limit.cancel() }
      return await process.ended()
    } onCancel: {
      process.send(SIGTERM)
    }
    try Task.checkCancellation()
    switch exit {
    case .signal(let signal) where Self.crashes.contains(signal): return true
    // For example a kill because memory ran out, which says nothing about a row.
    case .signal(let signal): throw ServerFailure("The trial was ended by signal \(signal).")
    case .code(0): return false
    case .code(let code): throw ServerFailure("The trial ended with the code \(code).")
    }
  }

  /// This program, also if its file was replaced by another version.
  package static var ownProgram: String {
    let link = "/proc/self/exe"
    return FileManager.default.fileExists(atPath: link) ? link : CommandLine.arguments[0]
  }
}
