import Foundation

/// The resources that this process uses. Figures that the system doesn't offer are `nil`.
package struct ProcessStatus: Sendable, Equatable {
  var processorTime: Duration?
  var residentBytes: Int64?
  var openDescriptors: Int?
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
    return status
  }

  private static func duration(_ time: timeval) -> Duration {
    .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
  }
}
