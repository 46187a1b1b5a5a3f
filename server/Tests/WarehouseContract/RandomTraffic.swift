package import Ingest
import TernBase
package import TernEvents
package import Warehouse

/// Random batches like those of many clients: several apps, retries, late and early events, all kinds and protocols,
/// errors with attachments, hits with parameters, ledgers, and events that were rejected before.
package struct RandomTraffic {
  private var generator: FastGenerator
  private let apps: [AppID]
  private let center: Int64
  private let spread: Int64
  private let isOrdered: Bool
  private var clock: Int64
  private var sent: [(IncomingBatch, AppID)] = []
  private var number: Int64
  /// False to leave out properties with numbers that questions round.
  package var hasExtremeProperties = true

  /// Creates traffic that a seed repeats.
  ///
  /// - Parameters:
  ///   - apps: The apps that send events.
  ///   - center: The middle of the event times.
  ///   - days: The length of the range of event times.
  ///   - isOrdered: True if batches arrive in the order of their times of receipt, as a server with a steady clock
  ///     sees them; then ``clock`` tells how far they are.
  package init(seed: UInt64, apps: [AppID], center: Timestamp, days: Int64, isOrdered: Bool) {
    generator = FastGenerator(seed: seed)
    self.apps = apps
    self.center = center.millisecondsSince1970
    self.isOrdered = isOrdered
    spread = days * 86_400_000
    clock = self.center - spread / 2
    number = Int64(seed % 1_000) * 1_000_000
  }

  /// The receipt of the last batch.
  package var now: Timestamp { Timestamp(millisecondsSince1970: clock) }

  /// Lets time pass in which nothing is received.
  package mutating func pause(_ duration: Duration) { clock += duration.wholeMilliseconds }

  /// Returns a random number below a bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

  /// Returns the next batch and its app.
  package mutating func next() -> (IncomingBatch, AppID) {
    if isOrdered { clock += Int64(below(Int(spread / 20))) }
    if !sent.isEmpty, below(5) == 0 { return retry() }
    let app = one(of: apps)
    let base =
      isOrdered
      ? clock - Int64(below(one(of: [60_000, 3_600_000, 100_000_000])))
      : center + Int64.random(in: -spread / 2...spread / 2, using: &generator)
    if !isOrdered { clock = base + Int64(below(100_000_000)) }
    var batch = IncomingBatch(
      source: one(of: [.native, .appCenter, .measurement]), received: now,
      installs: (0..<1 + below(3)).map { _ in install() },
      devices: (0..<1 + below(2)).map { _ in device(below(12)) })
    for index in 0..<below(30) { batch.events.append(event(index, base: base, batch)) }
    for position in batch.events.indices { addDetails(at: position, to: &batch) }
    if below(4) == 0 { batch.rejections = [Rejection(index: 99, reason: one(of: ["a", "b"]), message: "no")] }
    if below(4) == 0 { batch.ledger = ledger() }
    sent.append((batch, app))
    return (batch, app)
  }

  /// Returns an earlier batch again, with another clock correction, sometimes divided differently.
  private mutating func retry() -> (IncomingBatch, AppID) {
    var (batch, app) = one(of: sent)
    if below(2) == 0, batch.errors.isEmpty, batch.attachments.isEmpty, batch.hits.isEmpty {
      batch.events = Array(batch.events.shuffled(using: &generator).prefix(1 + below(10)))
    }
    batch.rejections = []
    if isOrdered { batch.received = now }
    let shift = Duration.milliseconds(below(2_000) - 1_000)
    for index in batch.events.indices where batch.events[index].duplicateKey != nil {
      batch.events[index].time = batch.events[index].time + shift
    }
    return (batch, app)
  }

  private mutating func install() -> String {
    let number = below(40)
    return number % 3 == 0 ? "client \(number)" : "00000000-0000-4000-8000-0000000000\(number + 10)"
  }

  private mutating func event(_ index: Int, base: Int64, _ batch: IncomingBatch) -> IncomingEvent {
    if var twin = batch.events.last, below(15) == 0 {
      twin.index = index
      return twin
    }
    let time = Timestamp(millisecondsSince1970: base + Int64(below(7_200_000)))
    number += 1
    let kind = one(of: [
      StoredKind.event, .event, .event, .event, .screen, .sessionStart, .drops, .handledError, .crash, .other,
      .attachment, .attachmentPart,
    ])
    let install = below(batch.installs.count)
    return IncomingEvent(
      index: index, kind: kind, duplicateKey: below(20) == 0 ? nil : key(at: time), time: time,
      microseconds: number % 3 == 0 ? nil : Int(number % 1_000), install: install, device: below(batch.devices.count),
      session: below(5) == 0 ? 0 : Int64(sent.count) * 10 + Int64(below(2)) + 1,
      startsSession: kind == .sessionStart || below(30) == 0, user: below(3) == 0 ? "user \(below(9))" : "",
      name: "name \(below(12))", properties: properties(kind))
  }

  /// Returns the key of the next event by the device's clock, which is far off for some.
  private mutating func key(at time: Timestamp) -> DuplicateKey {
    let year: Int64 = 365 * 86_400_000
    let shown =
      switch below(8) {
      case 0: Int64(below(100_000))
      case 1: time.millisecondsSince1970 + year * Int64(below(40) - 20)
      case 2: one(of: [Int64.min, .min + 1, -1, .max])
      default: time.millisecondsSince1970
      }
    return DuplicateKey(milliseconds: shown, hash: number &* 0x5851_F42D_4C95_7F2D)
  }

  private mutating func properties(_ kind: StoredKind) -> [Properties.Element] {
    if kind == .drops {
      return [
        Properties.Element(name: "queue_full", value: .integer(Int64(below(9)))),
        Properties.Element(name: "expired", value: .integer(one(of: [1, .max, -1]))),
      ]
    }
    var elements: [Properties.Element] = []
    if below(2) == 0 { elements.append(Properties.Element(name: "Category", value: .string("c\(below(5))"))) }
    if below(2) == 0 { elements.append(Properties.Element(name: "Length", value: .double(Double(below(90)) / 2))) }
    if below(2) == 0 { elements.append(Properties.Element(name: "Count", value: .integer(Int64(below(300)) - 100))) }
    if below(2) == 0 { elements.append(Properties.Element(name: "HD", value: .boolean(below(2) == 0))) }
    if hasExtremeProperties, below(20) == 0 {
      elements.append(Properties.Element(name: "Extreme", value: extremeValue()))
    }
    return elements
  }

  /// Adds the error, the attachment or the parameters of an event.
  private mutating func addDetails(at position: Int, to batch: inout IncomingBatch) {
    switch batch.events[position].kind {
    case .handledError, .crash:
      let type = below(6)
      batch.errors.append(
        IncomingError(
          event: position, id: below(8) == 0 ? "" : "error \(below(20))", type: "type \(type)",
          message: "message \(below(3))", place: "place \(type)", stack: "stack", fingerprint: Int64(type) + 1,
          raw: Array("raw \(below(9))".utf8)))
    case .attachment, .attachmentPart:
      let parts = one(of: [1, 2, 2, 2])
      let part = batch.events[position].kind == .attachment ? 0 : 1
      batch.attachments.append(
        IncomingAttachment(
          event: position, eventID: "event \(number)", error: "error \(below(20))", id: "file \(below(3))",
          name: "name", contentType: "text/plain", part: min(part, parts - 1), parts: parts,
          data: Array(repeating: UInt8(below(6) / 5), count: 1 + part)))
    case .event, .screen, .sessionStart, .other:
      guard batch.source == .measurement, below(4) > 0 else { return }
      batch.hits.append(IncomingHit(event: position, parameters: parameters()))
    case .drops: break
    }
  }

  private mutating func parameters() -> [HitParameter] {
    var parameters = ["t": one(of: ["screenview", "screenview", "event", "exception"]), "cd": "screen \(below(4))"]
    for index in 1...3 where below(4) == 0 { parameters["cd\(index)"] = "value \(below(3))" }
    if below(2) == 0 { (parameters["ec"], parameters["ea"]) = ("category", "action \(below(2))") }
    if below(8) == 0 { parameters["cs"] = "campaign \(below(2))" }
    if below(12) == 0 { parameters["sc"] = one(of: ["start", "end"]) }
    if below(3) == 0 { parameters["av"] = "\(below(3))" }
    if below(4) == 0 {
      parameters["pa"] = one(of: ["purchase", "purchase", "refund", "detail"])
      parameters["ti"] = "order \(below(6))"
      if below(3) > 0 { parameters["tr"] = "\(below(100)).5" }
    }
    if below(5) == 0 { addExtremes(to: &parameters) }
    return parameters.sorted { $0.key < $1.key }.map { HitParameter(name: $0.key, value: $0.value) }
  }

  /// Numbers at which arithmetic traps that neither saturates nor reports. JSON has no others.
  private mutating func extremeValue() -> PropertyValue {
    if below(3) == 0 { return .date(Timestamp(millisecondsSince1970: one(of: [.min, .max, -1]))) }
    return below(2) == 0
      ? .integer(one(of: [.min, .min + 1, -1 << 62, 1 << 53 + 1, 1 << 62, .max]))
      : .double(one(of: [1e308, -1e308, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, -0.0, 0x1p63]))
  }

  /// Texts for the numbers of a hit.
  ///
  /// The sum of one cell leaves the range in one direction only: a store that adds up parts clamps other sums
  /// differently.
  private mutating func addExtremes(to parameters: inout [String: String]) {
    let most = ["9223372036854775807", "4611686018427387904", "9007199254740993"]
    let least = ["-9223372036854775808", "-4611686018427387904", "-9007199254740993"]
    let broken = ["-0", "1e308", "5e-324", "nan", "inf", "", "-", ".", String(repeating: "9", count: 5_000)]
    let isUp = below(2) == 0
    let value = one(of: below(3) == 0 ? broken : isUp ? most : least)
    switch below(6) {
    case 0: parameters.merge(["t": "event", "ec": "\(isUp)", "ea": "extreme", "ev": value, "cd": "\(isUp)"]) { $1 }
    case 1: parameters.merge(["t": "timing", "utc": "c", "utv": "v", "utt": value]) { $1 }
    case 2:
      parameters[isUp ? "cm1" : "cm2"] = one(of: [value, isUp ? "9223372036852.999999" : "-9223372036852.999999"])
    case 3: parameters["_s"] = value
    case 4: parameters.merge(["pa": "checkout", "cos": value, "col": "o"]) { $1 }
    default:
      // A smallest amount without an opposite, and one that is too large to multiply.
      let price = one(of: ["0.000002", "0.000001", "9223372036852"])
      parameters.merge(["t": "event", "ec": "c", "ea": "a", "pa": isUp ? "purchase" : "refund", "tr": "1"]) { $1 }
      parameters.merge(["pr1nm": "\(isUp)", "pr1pr": price, "pr1qt": one(of: most + broken)]) { $1 }
    }
  }

  private mutating func ledger() -> DeviceLedger {
    DeviceLedger(
      tracked: SaturatingInt64(below(1_000)), delivered: SaturatingInt64(below(500)),
      waiting: SaturatingInt64(below(100)), inFlight: SaturatingInt64(below(10)),
      dropped: SaturatingInt64(below(30) == 0 ? DeviceLedger.maximum : Int64(below(9))))
  }

  private func device(_ number: Int) -> IncomingDevice {
    IncomingDevice(
      osName: ["iOS", "Debian"][number % 2], osVersion: "\(number % 3)", model: "m\(number % 5)",
      // Two codes of one language, and two of one country.
      locale: ["iw_IL", "de_DE", "he_IL"][number % 3], country: ["UK", "DE", "GB"][number % 3],
      timeZoneOffsetMinutes: number * 15, appVersion: "1.\(number % 4)", appBuild: "\(number % 2)", sdkName: "s",
      sdkVersion: "1")
  }
}
