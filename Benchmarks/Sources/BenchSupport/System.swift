#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Nanoseconds of a clock that never jumps.
@inline(__always)
public func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Milliseconds since 1970.
public func wallMilliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}

/// The resident memory of this process in KiB, where `/proc` reports it; 0 elsewhere.
public func residentKibibytes() -> Int {
  guard let file = fopen("/proc/self/status", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, 256, file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix("VmRSS:") { return Int(text.filter(\.isNumber)) ?? 0 }
  }
  return 0
}

/// Reads `--name value` pairs; a flag without a value reads as "true".
public struct Options: Sendable {
  private var values: [String: String] = [:]

  /// Reads the arguments of this process; `--help` prints the usage and ends it.
  public init(usage: String, _ arguments: [String] = CommandLine.arguments) {
    if arguments.contains("--help") {
      print(usage)
      exit(0)
    }
    var name: String?
    for argument in arguments.dropFirst() {
      if argument.hasPrefix("--") {
        if let name { values[name] = "true" }
        name = String(argument.dropFirst(2))
      } else if let known = name {
        values[known] = argument
        name = nil
      }
    }
    if let name { values[name] = "true" }
  }

  /// The text of an option.
  public func text(_ name: String, default fallback: String) -> String { values[name] ?? fallback }
  /// The number of an option.
  public func number(_ name: String, default fallback: Int) -> Int { values[name].flatMap { Int($0) } ?? fallback }
  /// Returns true if a flag is set.
  public func flag(_ name: String) -> Bool { values[name] == "true" }
}
