import Ingest
import TernEvents

@testable import AppCatalog
@testable import Views
@testable import Warehouse
@testable import WarehouseSQLite

/// Random batches like those of many clients: several apps, retries, late and early events, all kinds and protocols.
struct RandomTraffic {
  var generator: FastGenerator
  let apps: [AppID]
  /// The midpoint of the event times.
  let center: Int64
  /// The range of event times, in milliseconds.
  let spread: Int64
  private var sent: [(IncomingBatch, AppID)] = []
  private var nextKey: Int64 = 1

  init(seed: UInt64, apps: [AppID], center: String, days: Int64) {
    generator = FastGenerator(seed: seed)
    self.apps = apps
    self.center = milliseconds(center)
    spread = days * 86_400_000
    nextKey = Int64(seed % 1_000) * 1_000_000
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  mutating func next() -> (IncomingBatch, AppID) {
    // A retry: the whole batch again, sometimes divided differently.
    if !sent.isEmpty, below(5) == 0 {
      var (batch, app) = sent[below(sent.count)]
      if below(2) == 0 { batch.events = Array(batch.events.shuffled(using: &generator).prefix(1 + below(10))) }
      batch.rejections = []
      // The clock correction differs from the first attempt's.
      let shift = Duration.milliseconds(below(2_000) - 1_000)
      for index in batch.events.indices where batch.events[index].duplicateKey != nil {
        batch.events[index].time = batch.events[index].time + shift
      }
      return (batch, app)
    }
    let app = apps[below(apps.count)]
    let source = IngestProtocol.allCases[below(3)]
    let installs = (0..<1 + below(3)).map { _ in name(of: below(40)) }
    let devices = (0..<1 + below(2)).map { _ in device(below(12)) }
    let base = center + Int64.random(in: -spread / 2...spread / 2, using: &generator)
    var events: [IncomingEvent] = []
    for index in 0..<below(30) {
      events.append(event(index, base: base, installs: installs.count, devices: devices.count, twin: events.last))
    }
    var batch = IncomingBatch(
      source: source, received: Timestamp(millisecondsSince1970: base + Int64(below(100_000_000))), installs: installs,
      devices: devices, events: events)
    if below(4) == 0 { batch.rejections = [Rejection(index: 99, reason: ["a", "b"][below(2)], message: "no")] }
    sent.append((batch, app))
    return (batch, app)
  }

  private func name(of number: Int) -> String {
    number % 3 == 0 ? "client \(number)" : "00000000-0000-4000-8000-0000000000\(number + 10)"
  }

  private mutating func event(
    _ index: Int, base: Int64, installs: Int, devices: Int, twin: IncomingEvent?
  ) -> IncomingEvent {
    if var twin, below(15) == 0 {
      twin.index = index
      return twin
    }
    let time = Timestamp(millisecondsSince1970: base + Int64(below(7_200_000)))
    nextKey += 1
    let kinds: [StoredKind] = [
      .event, .event, .event, .event, .screen, .sessionStart, .drops, .handledError, .crash, .other,
    ]
    let kind = kinds[below(kinds.count)]
    return IncomingEvent(
      index: index, kind: kind, duplicateKey: below(20) == 0 ? nil : key(nextKey, at: shown(time)), time: time,
      install: below(installs), device: below(devices), session: Int64(below(1_000)),
      startsSession: kind == .sessionStart || below(30) == 0, user: below(3) == 0 ? "user \(below(9))" : "",
      name: "name \(below(12))", properties: properties(kind))
  }

  /// Returns the time by the device's clock, which is far off for some.
  private mutating func shown(_ time: Timestamp) -> Timestamp {
    let year: Int64 = 365 * 86_400_000
    switch below(8) {
    case 0: return Timestamp(millisecondsSince1970: Int64(below(100_000)))
    case 1: return time + .milliseconds(year * Int64(below(40) - 20))
    case 2: return Timestamp(millisecondsSince1970: [Int64.min, .min + 1, -1, .max][below(4)])
    default: return time
    }
  }

  private mutating func properties(_ kind: StoredKind) -> [Properties.Element] {
    if kind == .drops {
      return [
        Properties.Element(name: "queue_full", value: .integer(Int64(below(9)))),
        Properties.Element(name: "expired", value: .integer(1)),
      ]
    }
    var elements: [Properties.Element] = []
    if below(2) == 0 { elements.append(Properties.Element(name: "Category", value: .string("c\(below(5))"))) }
    if below(2) == 0 { elements.append(Properties.Element(name: "Length", value: .double(Double(below(90)) / 2))) }
    if below(2) == 0 { elements.append(Properties.Element(name: "Count", value: .integer(Int64(below(300)) - 100))) }
    if below(2) == 0 { elements.append(Properties.Element(name: "HD", value: .boolean(below(2) == 0))) }
    return elements
  }

  private func device(_ number: Int) -> IncomingDevice {
    IncomingDevice(
      osName: ["iOS", "Debian"][number % 2], osVersion: "\(number % 3)", model: "m\(number % 5)",
      locale: ["pt_BR", "de_DE", "en_US"][number % 3], country: ["BR", "DE", "US"][number % 3],
      timeZoneOffsetMinutes: number * 15, appVersion: "1.\(number % 4)", appBuild: "\(number % 2)", sdkName: "s",
      sdkVersion: "1")
  }
}
