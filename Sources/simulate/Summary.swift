import TernEvents
import TernSimulator

extension Simulation.Outcome {
  /// The progress on one line.
  func progress(seconds: Double) -> String {
    "\(Int(figures.days)) device-days, \(devices) devices, \(figures.events) events, \(failures.count) failures, "
      + "\(Int(figures.days / max(seconds, 0.001))) device-days/s"
  }

  /// The results of a run.
  func summary(seconds: Double) -> String {
    let dropped = figures.dropped.sorted { ($0.value, $1.key.description) > ($1.value, $0.key.description) }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let lines = [
      (
        "devices", "\(devices), \(rounded(figures.days)) days, \(Int(figures.days / max(seconds, 0.001))) device-days/s"
      ),
      ("launches", "\(figures.launches); kills \(figures.kills), in the middle of a call \(figures.killsInCalls)"),
      ("events stored", "\(figures.events)"),
      ("requests", "\(figures.requests), not acknowledged \(figures.retries); \(figures.bytesSent) bytes of bodies"),
      ("in the report", "\(figures.reported), duplicates removed \(figures.duplicates)"),
      ("dropped", dropped.isEmpty ? "none" : dropped),
      ("counts lost in kills", "\(figures.forgotten)"),
      ("receipts answered", "\(figures.receipts)"),
      ("opt-outs", "\(figures.erasures)"),
      ("worst delay", "\(figures.worstDelay.clockText) from track to the collector"),
      ("worst drain", "\(figures.worstDrain.clockText) in the healthy phase at the end"),
      (
        "outages",
        "\(figures.outages), worst ratio of wasted bytes to bytes queued \(rounded(figures.worstOutage))"
      ),
      ("digest", String(digest.value, radix: 16)),
    ]
    return lines.map { "\($0.0)\(String(repeating: " ", count: 22 - $0.0.count))\($0.1)" }.joined(separator: "\n")
  }

  private func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

extension DeviceReport {
  /// The broken promise, and the command that repeats it.
  func complaint(replay: String) -> String {
    """
    device \(seed) did not keep a promise after \(figures.events) events:
      \(violation.map(\.description) ?? "")
      replay: \(replay)
    """
  }
}
