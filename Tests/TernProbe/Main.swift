import Foundation

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
    let options = Options(CommandLine.arguments.dropFirst(2))
    switch CommandLine.arguments.dropFirst().first {
    case "collector": try await ProbeCollector(options).run()
    case "app": try await ProbeApp(options).run()
    case "hits": try await ProbeHits(options).run()
    default: fatalError("Pass a role: collector, app or hits.")
    }
  }
}

/// The `--name value` pairs of a command line.
struct Options {
  private var values: [String: String] = [:]

  init(_ arguments: some Sequence<String>) {
    var name: String?
    for argument in arguments {
      if argument.hasPrefix("--") {
        name = String(argument.dropFirst(2))
        name.map { values[$0] = "" }
      } else if let name {
        values[name] = argument
      }
    }
  }

  subscript(name: String) -> String? { values[name] }
}

/// The nanoseconds of a clock shared by all processes of this machine.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Writes a line without buffering, because a test waits for it.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
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
