import Foundation

/// One process of the example app.
final class PlayerProcess {
  private let process = Process()
  private let output = Pipe()

  /// The process's number; 0 before it was started.
  var identifier: Int32 { process.processIdentifier }
  /// Whether it still runs.
  var isRunning: Bool { process.isRunning }

  /// Prepares a process; ``start()`` runs it.
  init(executable: URL, arguments: [String]) {
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
  }

  /// Starts the process.
  func start() throws {
    try process.run()
  }

  /// Waits for its end and returns what it printed, or throws when it failed.
  @discardableResult
  func finished() async throws -> String {
    // Reading ends when the process closes its output, so this waits as well; it blocks, hence a thread of its own.
    let text = await withCheckedContinuation { continuation in
      let handle = output.fileHandleForReading
      Thread.detachNewThread {
        let data = (try? handle.readToEnd()) ?? Data()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
    process.waitUntilExit()
    try Task.checkCancellation()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw DemoError("the example app ended with status \(process.terminationStatus)")
    }
    return text
  }

  /// Ends the process without any warning, as a crash or the system would.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks the process to finish.
  func terminate() {
    if process.isRunning { process.terminate() }
  }
}

/// A failure of the demo, as the one line that is printed.
struct DemoError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
