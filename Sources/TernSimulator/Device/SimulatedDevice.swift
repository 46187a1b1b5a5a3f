import Foundation
import Tern
import TernBase
import TernEvents
import TernLog
import TernTestSupport

/// A device with an app, from installation to the day on which everything works again.
///
/// The seed determines everything that happens: there is a single thread, no task and no real time, and nothing depends
/// on the order of a dictionary.
package final class SimulatedDevice {
  /// The options of a simulation in addition to its seed.
  package struct Options: Sendable {
    /// The maximum wasted bytes per queued byte; `nil`, the default, only measures them.
    package var outageLimit: Double?
    /// The names of the rules to check; empty, the default, checks all.
    package var rules: Set<String> = []

    package init() {}
  }

  static let directory = "/data/tern"
  /// The client's request timeout.
  static let timeout = Duration.seconds(60)

  let options: Options
  let story: ((String) -> Void)?
  let traits: DeviceTraits
  let clock = SimulatedClock()
  let disk = InMemoryFileSystem()
  var use: FastGenerator
  var net: FastGenerator
  /// Chooses the receipts that are kept and queried.
  var receiptChoice: FastGenerator
  var queue = EventQueue()
  var collector: SimulatedCollector
  var expected = ExpectedState()
  var drops = DropAccount()
  var report: DeviceReport

  var processes: [SimulatedProcess] = []
  var lastProcess = 0
  var requests: [Int: OpenRequest] = [:]
  var lastRequest = 0
  var isOffline = false
  var isUsePlanned = false
  /// True once everything works again.
  var isHealing = false
  var boot = UniqueID(high: 0, low: 0)
  var appVersion = 1
  /// The client configuration of the installed version.
  var setup: AppTraits
  var install: UniqueID?
  /// The app's last setting; `nil` if it may not have been saved.
  var expectedUser: String?? = .some(nil)
  var expectedEnabled: Bool? = true
  var lastUser = 0
  /// The number of the identity; `nil` if a death left open which one was saved.
  var identity: Int? = 0 {
    didSet { identities.append((clock.now, identity)) }
  }
  /// All identities, with the times at which they began.
  var identities: [(since: Duration, identity: Int?)] = [(.zero, 0)]
  var lastIdentity = 0
  /// True if the next launch will have the same identity.
  var isIdentityKept = true
  var isDiskLimited = false
  var outage = Outage()
  /// True if something has failed and no batch has been acknowledged since.
  var isFailing = false
  /// True if a full disk may have kept the client from saving that the collector works.
  var isMemoryStale = false
  /// The last wait that the collector requested.
  var hold: Hold?

  /// Creates a device.
  ///
  /// - Parameters:
  ///   - seed: Determines everything that happens.
  ///   - story: Receives a line for each step.
  package init(seed: UInt64, options: Options = Options(), story: ((String) -> Void)? = nil) {
    var generator = FastGenerator(seed: seed)
    traits = DeviceTraits(using: &generator)
    setup = traits.setup
    use = FastGenerator(seed: generator.next())
    net = FastGenerator(seed: generator.next())
    receiptChoice = FastGenerator(seed: ~seed)
    collector = SimulatedCollector(traits.network)
    report = DeviceReport(seed: seed)
    self.options = options
    self.story = story
  }

  /// Runs the device's whole life; stops at the first broken promise.
  package func run() -> DeviceReport {
    trace("a device for \(traits.days) days: \(traits)")
    boot = UniqueID.random(using: &use)
    plan()
    let end = Duration.seconds(traits.days * 86_400)
    var steps = 0
    while report.violation == nil, let item = queue.next(), item.time < end {
      clock.now = max(clock.now, item.time)
      handle(item.event)
      steps += 1
      if steps > 3_000_000 { fail("rest", "more than three million steps in \(traits.days) days") }
    }
    if report.violation == nil {
      clock.now = end
      heal()
    }
    report.statistics.days = traits.days
    return report
  }

  private func plan() {
    planUse(in: .seconds(1))
    later(.networkChanges, traits.network.online)
    if traits.network.healthy > 0 { later(.collectorChanges, traits.network.healthy) }
    if traits.fullDisk { later(.diskChanges, 200_000) }
    if traits.clockJumps { later(.clockJumps, 200_000) }
    if traits.reboots { later(.reboots, 400_000) }
    if traits.hasCompanion { later(.companion, 40_000) }
  }

  func later(_ event: SimulationEvent, _ seconds: Double) {
    queue.add(event, at: clock.now + use.seconds(seconds / 10, seconds * 2))
  }

  func planUse(in step: Duration) {
    guard !isUsePlanned else { return }
    isUsePlanned = true
    queue.add(.use, at: clock.now + step)
  }

  func handle(_ event: SimulationEvent) {
    switch event {
    case .use: beginUse()
    case .act(let process, let remaining): with(process) { act($0, remaining) }
    case .leave(let process): with(process) { leave($0) }
    case .suspend(let process): with(process) { suspend($0) }
    case .end(let process): with(process) { end($0) }
    case .timer(let process, let number): with(process) { timerFires($0, number) }
    case .drain(let process):
      with(process) {
        $0.isDrainPlanned = false
        drain($0)
      }
    case .arrival(let request): arrives(request)
    case .answer(let request): answers(request)
    case .networkChanges: networkChanges()
    case .collectorChanges: collectorChanges()
    case .diskChanges: diskChanges()
    case .clockJumps: clockJumps()
    case .reboots: reboot()
    case .companion: companionStarts()
    }
  }

  private func with(_ number: Int, _ body: (SimulatedProcess) -> Void) {
    if let process = process(number) { body(process) }
  }

  func process(_ number: Int) -> SimulatedProcess? { processes.first { $0.number == number } }

  var app: SimulatedProcess? { processes.first { $0.slot == 0 } }

  // MARK: Tracing

  func fail(_ rule: String, _ detail: @autoclosure () -> String) {
    guard report.violation == nil, options.rules.isEmpty || options.rules.contains(rule) else { return }
    let violation = Violation(rule: rule, detail: detail(), time: clock.now)
    report.violation = violation
    trace("BROKEN: \(violation)")
  }

  /// Adds a step to the digest and to the story.
  func note(_ code: UInt64, _ text: @autoclosure () -> String) {
    report.digest.mix(code)
    report.digest.mix(UInt64(truncatingIfNeeded: clock.now.wholeMilliseconds))
    trace(text())
  }

  func trace(_ text: @autoclosure () -> String) {
    guard let story else { return }
    story("\(clock.now.clockText)  \(text())")
  }
}
