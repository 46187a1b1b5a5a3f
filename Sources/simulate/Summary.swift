import TernEvents
import TernSimulator

extension Simulation.Outcome {
  /// The progress on one line.
  func progress(seconds: Double) -> String {
    "\(Int(statistics.days)) device-days, \(devices) devices, \(statistics.events) events, \(failures.count) failures, "
      + "\(Int(statistics.days / max(seconds, 0.001))) device-days/s"
  }

  /// The results of a run.
  func summary(seconds: Double) -> String {
    let dropped = statistics.dropped.sorted { ($0.value, $1.key.description) > ($1.value, $0.key.description) }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let lines = [
      (
        "devices",
        "\(devices), \(rounded(statistics.days)) days, \(Int(statistics.days / max(seconds, 0.001))) device-days/s"
      ),
      (
        "launches",
        "\(statistics.launches); kills \(statistics.kills), in the middle of a call \(statistics.killsInCalls)"
      ),
      ("events stored", "\(statistics.events)"),
      (
        "requests",
        "\(statistics.requests), not acknowledged \(statistics.retries); \(statistics.bytesSent) bytes of bodies"
      ),
      ("in the report", "\(statistics.reported), duplicates removed \(statistics.duplicates)"),
      ("dropped", dropped.isEmpty ? "none" : dropped),
      ("counts lost in kills", "\(statistics.forgotten)"),
      ("receipts answered", "\(statistics.receipts)"),
      ("opt-outs", "\(statistics.erasures)"),
      ("worst delay", "\(statistics.worstDelay.clockText) from track to the collector"),
      ("worst drain", "\(statistics.worstDrain.clockText) in the healthy phase at the end"),
      (
        "outages",
        "\(statistics.outages), worst ratio of wasted bytes to bytes queued \(rounded(statistics.worstOutage))"
      ),
      ("digest", String(digest.value, radix: 16)),
    ]
    return lines.map { "\($0.0)\(String(repeating: " ", count: 22 - $0.0.count))\($0.1)" }.joined(separator: "\n")
  }

  private func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

extension DeviceReport {
  /// Describes the broken promise, with the command that reproduces it.
  func failureMessage(replay: String) -> String {
    """
    device \(seed) did not keep a promise after \(statistics.events) events:
      \(violation.map(\.description) ?? "")
      replay: \(replay)
    """
  }
}
