import Foundation

/// The resources that this process uses. Figures that the system doesn't offer are `nil`.
package struct ProcessStatus: Sendable, Equatable {
  var processorTime: Duration?
  var residentBytes: Int64?
  var openDescriptors: Int?
  var maximumDescriptors: Int?
  /// The time of the start, in seconds since 1970.
  var startTime: Double?
}

extension ProcessStatus {
  /// The figures of this process.
  package static func current() -> ProcessStatus {
    var status = ProcessStatus()
    var usage = rusage()
    #if canImport(Darwin)
      let this = RUSAGE_SELF
    #else
      let this = RUSAGE_SELF.rawValue
    #endif
    if getrusage(.init(this), &usage) == 0 {
      status.processorTime = duration(usage.ru_utime) + duration(usage.ru_stime)
    }
    // Linux lists both; other systems have no files for them.
    status.openDescriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    if let pages, pages.count > 1, let resident = Int64(pages[1]) {
      status.residentBytes = resident * Int64(getpagesize())
    }
    (status.maximumDescriptors, status.startTime) = (DescriptorLimit.current, startTime)
    return status
  }

  private static let startTime: Double? = {
    guard let process = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      let system = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
    else { return nil }
    return startTime(process: process, system: system, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
  }()

  /// Reads the start of a process, in seconds since 1970, from `/proc/PID/stat` and `/proc/stat`.
  static func startTime(process: String, system: String, ticksPerSecond: Int) -> Double? {
    // The second field, the name of the program in parentheses, may contain anything. The start is the 22nd.
    let fields = process.split(separator: ")").last?.split(separator: " ") ?? []
    let boot = system.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
    guard fields.count > 19, let ticks = Double(fields[19]), let boot = boot.flatMap({ Double($0) }), ticksPerSecond > 0
    else { return nil }
    return boot + ticks / Double(ticksPerSecond)
  }

  private static func duration(_ time: timeval) -> Duration {
    .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
  }
}
