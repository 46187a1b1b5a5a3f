import Foundation
import ProbeSupport

/// Hangs of the main thread.
enum Hang {
  /// Runs the main run loop and hangs until that is reported. A long hang ends with the process; after a short one, the
  /// loop runs until the event is recorded.
  static func run(in directory: String, isLong: Bool) {
    let reports = URL(fileURLWithPath: directory).appendingPathComponent("crashes")
    repeat {
      // The watchdog waits for a first answer.
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))
    } while !hangByWaiting(for: reports)
    if isLong { kill(getpid(), SIGKILL) }
    while content(of: reports) != nil { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1)) }
    say("recorded")
  }

  /// Blocks until the report is complete, or for 5 s.
  @inline(never) private static func hangByWaiting(for reports: URL) -> Bool {
    for _ in 0..<500 {
      if content(of: reports)?.hasSuffix("end\n") == true { return true }
      usleep(10_000)
    }
    return false
  }

  private static func content(of reports: URL) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: reports.path)) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".hang") }) else { return nil }
    return try? String(contentsOf: reports.appendingPathComponent(name), encoding: .utf8)
  }
}
