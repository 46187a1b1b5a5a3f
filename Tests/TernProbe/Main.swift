import Foundation
import ProbeSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A process that a test starts, controls by lines of text, and ends: an app with a client, or a collector.
///
/// It exits when its input ends, so that a failing test leaves no process behind.
@main struct Probe {
  static func main() async throws {
    let options = ProbeOptions(CommandLine.arguments.dropFirst(2))
    switch CommandLine.arguments.dropFirst().first {
    case "collector": try await ProbeCollector(options).run()
    case "app": try await ProbeApp(options).run()
    case "hits": try await ProbeHits(options).run()
    default: fatalError("Pass a role: collector, app or hits.")
    }
  }
}

/// The nanoseconds of a clock shared by all processes of this machine.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The lines of standard input, read on a separate thread.
func inputLines() -> AsyncStream<String> {
  let (lines, continuation) = AsyncStream.makeStream(of: String.self)
  Thread.detachNewThread {
    while let line = readLine() { continuation.yield(line) }
    continuation.finish()
  }
  return lines
}
