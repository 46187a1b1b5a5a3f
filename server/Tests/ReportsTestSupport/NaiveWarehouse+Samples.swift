package import Ingest
package import TernEvents
package import Warehouse
package import WarehouseContract

extension NaiveWarehouse {
  /// Creates a warehouse of a few apps whose days are those of UTC.
  package convenience init() { self.init(catalog: MemoryCatalog(zones: Array(repeating: "UTC", count: 20))) }

  /// Stores an event of the first app at noon of a day, or at another time.
  package func add(
    _ kind: StoredKind = .event, _ name: String = "", on day: Day, at time: Timestamp? = nil, install: Int = 0,
    user: String = "", device: IncomingDevice = IncomingDevice(), session: Int64 = 0, startsSession: Bool = false,
    properties: [Properties.Element] = [], app: AppID = AppID(1)
  ) throws {
    let noon = Timestamp(millisecondsSince1970: Int64(day.number) * 86_400_000 + 43_200_000)
    let event = IncomingEvent(
      index: 0, kind: kind, duplicateKey: nil, time: time ?? noon, session: session, startsSession: startsSession,
      user: user, name: name, properties: properties)
    try store(.one(event, install: "\(install)", device: device), app: app)
  }

  /// Stores a client's report of the events that it dropped.
  package func add(
    dropped reason: String, _ count: Int64, on day: Day, install: Int = 0, app: AppID = AppID(1)
  ) throws {
    try add(.drops, on: day, install: install, properties: [.init(name: reason, value: .integer(count))], app: app)
  }

  /// Stores an error, and returns the number of its event.
  @discardableResult
  package func add(
    _ error: IncomingError, _ kind: StoredKind, at time: Timestamp, received: Timestamp? = nil, install: Int = 0,
    user: String = "", device: IncomingDevice = IncomingDevice(), session: Int64 = 0,
    properties: [Properties.Element] = [], app: AppID = AppID(1)
  ) throws -> Int64 {
    let event = IncomingEvent(
      index: 0, kind: kind, duplicateKey: nil, time: time, session: session, user: user, name: error.type,
      properties: properties)
    var batch = IncomingBatch.one(event, install: "\(install)", device: device)
    batch.received = received ?? time
    batch.errors = [error]
    try store(batch, app: app)
    return lastRow
  }

  /// Stores the ledger of an install with an event.
  package func add(_ ledger: DeviceLedger, install: Int = 0, at time: Timestamp, app: AppID = AppID(1)) throws {
    let event = IncomingEvent(index: 0, kind: .drops, duplicateKey: nil, time: time, name: "")
    var batch = IncomingBatch.one(event, install: "\(install)", device: IncomingDevice())
    batch.ledger = ledger
    try store(batch, app: app)
  }

  /// Returns a few weeks of a small app, the same for the same seed.
  package static func seeded(_ seed: UInt64, ending today: Day, days: Int = 45) throws -> NaiveWarehouse {
    var generator = FastGenerator(seed: seed)
    let warehouse = NaiveWarehouse()
    let names = ["Video clicked", "Search", "Purchase", "Share"]
    let models = [
      ("iPhone15,2", "iOS", "17.5", "US"), ("Pixel 8", "Android", "14", "DE"), ("x86_64", "Debian", "12", ""),
    ]
    for back in 0..<days {
      let day = today.advanced(by: -back)
      for install in 0..<Int.random(in: 0...9, using: &generator) {
        let (model, system, version, country) = models[install % models.count]
        let device = IncomingDevice(
          osName: system, osVersion: version, model: model, country: country, appVersion: "2.\(install % 2)",
          appBuild: "7")
        try warehouse.add(.sessionStart, on: day, install: install, device: device, startsSession: true)
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
          try warehouse.add(
            .event, names.randomElement(using: &generator) ?? "", on: day, install: install, device: device,
            properties: [.init(name: "HD", value: .boolean(Bool.random(using: &generator)))])
        }
      }
      if back.isMultiple(of: 4) { try warehouse.add(dropped: "queue_full", Int64(back + 1), on: day, install: 1) }
    }
    return warehouse
  }
}

extension IncomingBatch {
  /// Returns a batch of one event.
  fileprivate static func one(_ event: IncomingEvent, install: String, device: IncomingDevice) -> IncomingBatch {
    IncomingBatch(
      source: .native, received: event.time, installs: [install], devices: [device], events: [event])
  }
}
