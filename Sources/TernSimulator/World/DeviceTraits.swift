import TernEvents

/// The traits of a device's life, drawn once from its seed, so that faults occur in every combination while most
/// devices have few enough for exact accounting.
package struct DeviceTraits: Sendable {
  /// The length of the simulated life, in days.
  package var days: Double
  /// The number of uses of the app per day.
  var usesPerDay: Double
  /// The maximum number of actions in one use.
  var longestUse: Int
  /// The probability that an action is a burst of many events.
  var burst: Double
  var critical: Double
  /// The probability of an event that the collector rejects.
  var poison: Double
  /// The probability of an event that is too large for the protocol.
  var huge: Double
  /// The probability that the app is killed, per action.
  var crash: Double
  /// True if a kill may leave a torn write.
  var tears: Bool
  var hasCompanion: Bool
  var clockJumps: Bool
  var reboots: Bool
  var fullDisk: Bool
  var identifies: Bool
  /// True if the app erases a user's events.
  var erases: Bool
  var switches: Bool
  var pauses: Bool
  var flushes: Bool
  /// True if the app keeps and queries receipts.
  var asksForReceipts: Bool
  /// True if the delivery loop handles its messages with a delay.
  var isBusy: Bool
  /// The configuration of the version installed first.
  var setup: AppTraits
  var network: NetworkTraits

  init(using generator: inout FastGenerator) {
    days = generator.fraction(1, 24)
    usesPerDay = generator.fraction(0.3, 6)
    longestUse = Int(generator.fraction(2, 30))
    burst = generator.chance(0.3) ? 0.01 : 0.0005
    critical = generator.chance(0.7) ? 0.05 : 0.4
    poison = generator.chance(0.25) ? generator.fraction(0.001, 0.3) : 0
    huge = generator.chance(0.1) ? 0.01 : 0
    crash = generator.chance(0.5) ? 0.01 : 0
    tears = generator.chance(0.2)
    hasCompanion = generator.chance(0.2)
    clockJumps = generator.chance(0.3)
    reboots = generator.chance(0.3)
    fullDisk = generator.chance(0.15)
    identifies = generator.chance(0.5)
    erases = generator.chance(0.4) && !hasCompanion
    switches = generator.chance(0.25)
    pauses = generator.chance(0.25)
    flushes = generator.chance(0.3)
    isBusy = generator.chance(0.3)
    setup = AppTraits(using: &generator)
    network = NetworkTraits(using: &generator)
    // Drawn last, so that older seeds keep their meaning.
    asksForReceipts = FastGenerator(seed: UInt64(days * 1e9)).asks
  }
}

/// The client configuration of an app version.
struct AppTraits: Sendable {
  var maximumQueueBytes = 10 << 20
  var maximumEventAge: Duration = .seconds(25 * 86_400)
  var flushInterval: Duration = .seconds(6)
  var flushAt = 50
  var maximumBatchEvents = 500
  var maximumBatchBytes = 512 << 10
  var maximumBatchesInFlight = 3
  var maximumRetryDelay: Duration = .seconds(1800)
  var compresses: Bool
  var durability: Int

  init(using generator: inout FastGenerator) {
    compresses = generator.chance(0.2)
    durability = generator.number(0...2)
    if generator.chance(0.25) { maximumQueueBytes = Int(generator.fraction(24_576, 200_000)) }
    if generator.chance(0.15) { maximumEventAge = generator.seconds(3600, 10 * 86_400) }
    if generator.chance(0.3) { flushInterval = generator.seconds(0.5, 300) }
    if generator.chance(0.3) { flushAt = Int(generator.fraction(1, 200)) }
    if generator.chance(0.3) { maximumBatchEvents = Int(generator.fraction(1, 500)) }
    if generator.chance(0.2) { maximumBatchBytes = Int(generator.fraction(1024, 65_536)) }
    if generator.chance(0.3) { maximumBatchesInFlight = generator.number(1...6) }
    if generator.chance(0.2) { maximumRetryDelay = generator.seconds(10, 7200) }
  }
}

/// The traits of the network and of the collector.
struct NetworkTraits: Sendable {
  var roundTrip: ClosedRange<Double>
  /// The probability per request.
  var loss: Double
  var resetBefore: Double
  var resetAfter: Double
  var slow: Double
  var error: Double
  /// The typical durations with and without a network, in seconds.
  var online: Double
  var offline: Double
  /// The typical durations with a working and a failing collector; zero means that it always works.
  var healthy: Double
  var unhealthy: Double
  /// The way in which the collector rejects events.
  var refusal: RefusalStyle
  /// The maximum body size that the collector accepts.
  var maximumBodyBytes: Int
  /// The status with which a gateway blocks requests without a body; `nil` if there is no gateway.
  var gatewayStatus: Int?

  init(using generator: inout FastGenerator) {
    let quickest = generator.fraction(0.01, 1)
    roundTrip = quickest...(quickest * generator.fraction(1.5, 20))
    let isBad = generator.chance(0.5)
    loss = isBad ? generator.fraction(0.001, 0.3) : 0
    resetBefore = isBad ? generator.fraction(0.001, 0.2) : 0
    resetAfter = isBad ? generator.fraction(0.001, 0.2) : 0
    slow = isBad ? generator.fraction(0.001, 0.1) : 0
    error = isBad ? generator.fraction(0.001, 0.2) : 0
    online = generator.fraction(1800, 400_000)
    offline = generator.fraction(20, 90_000)
    healthy = generator.chance(0.6) ? generator.fraction(7200, 400_000) : 0
    unhealthy = generator.fraction(60, 90_000)
    refusal = generator.pick([.inAnswer, .byIndex, .byIndexes, .wholeBatch])
    maximumBodyBytes = generator.chance(0.2) ? Int(generator.fraction(3000, 200_000)) : NativeProtocol.maximumBodyBytes
    gatewayStatus = generator.chance(0.15) ? generator.pick([400, 401, 404, 411, 503]) : nil
  }
}

/// The ways in which a collector rejects an event.
enum RefusalStyle: Sendable {
  /// Responds 200 and lists the event as rejected.
  case inAnswer
  /// Responds 400 with the event's index; nothing of the batch is stored.
  case byIndex
  /// Responds 400 with the indexes of all faulty events; nothing of the batch is stored.
  case byIndexes
  /// Responds 422 without naming the faulty event.
  case wholeBatch
}

extension FastGenerator {
  /// True if the device queries receipts.
  fileprivate var asks: Bool {
    var generator = self
    return generator.chance(0.6)
  }
}
