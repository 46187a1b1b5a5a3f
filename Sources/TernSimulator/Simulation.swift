/// Many devices, simulated one after the other.
package struct Simulation: Sendable {
  package var seed: UInt64
  package var options: SimulatedDevice.Options

  package init(seed: UInt64, options: SimulatedDevice.Options = SimulatedDevice.Options()) {
    self.seed = seed
    self.options = options
  }

  /// The outcome of a run.
  package struct Outcome: Sendable {
    package var statistics = Statistics()
    package var digest = Digest()
    package var devices = 0
    /// The devices for which a promise was broken.
    package var failures: [DeviceReport] = []
  }

  /// Returns the command that repeats one device.
  package func command(seed: UInt64) -> String {
    var words = "Scripts/simulate --seed \(seed) --devices 1 --trace"
    if let limit = options.outageLimit { words += " --outage-limit \(limit)" }
    for rule in options.rules.sorted() { words += " --only '\(rule)'" }
    return words
  }

  /// Runs devices with consecutive seeds until one of the limits is reached.
  ///
  /// - Parameters:
  ///   - story: Receives the steps of each device.
  ///   - progress: Called after each device; returns false to end the run.
  package func run(
    days: Double = .infinity, devices: Int = .max, story: ((String) -> Void)? = nil,
    progress: (Outcome) -> Bool = { $0.failures.isEmpty }
  ) -> Outcome {
    var outcome = Outcome()
    while outcome.statistics.days < days, outcome.devices < devices {
      let report = SimulatedDevice(seed: seed &+ UInt64(outcome.devices), options: options, story: story).run()
      outcome.devices += 1
      outcome.statistics.add(report.statistics)
      outcome.digest.mix(report.digest.value)
      if report.violation != nil { outcome.failures.append(report) }
      if !progress(outcome) { break }
    }
    return outcome
  }
}
