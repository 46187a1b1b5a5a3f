import Foundation
import TernBase

/// The most memory that the process allocates during a measurement, beyond what it had before. Files that are mapped
/// don't count: the system drops their pages when memory is short.
final class MemoryPeak: Sendable {
  private let start = MemoryPeak.allocated()
  private let state = Locked((peak: 0, isEnded: false))

  /// Looks every two milliseconds from now on.
  init() {
    Thread.detachNewThread { [self] in
      while state.withLock({ state in
        state.peak = max(state.peak, Self.allocated())
        return !state.isEnded
      }) {
        Thread.sleep(forTimeInterval: 0.002)
      }
    }
  }

  /// Ends the measurement; returns the peak in MiB.
  func end() -> Double {
    state.withLock { state in
      state.isEnded = true
      return Double(max(state.peak - start, 0)) / 1_024
    }
  }

  /// In KiB; 0 where the system doesn't tell.
  private static func allocated() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }
}
