import Ingest
import TernEvents
package import Warehouse

extension MemoryStore {
  /// A few weeks of a small app, the same for the same seed.
  package static func seeded(_ seed: UInt64, ending today: Day, days: Int = 45) -> MemoryStore {
    var generator = FastGenerator(seed: seed)
    var metrics = MemoryStore()
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
        metrics.rows.append(
          Row(day: day, kind: .sessionStart, install: install, device: device, startsSession: true))
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
          metrics.rows.append(
            Row(
              day: day, name: names.randomElement(using: &generator) ?? "", install: install, device: device,
              properties: [.init(name: "HD", value: .boolean(Bool.random(using: &generator)))]))
        }
      }
      if back.isMultiple(of: 4) { metrics.rows.append(Row(day: day, install: 1, dropped: ("queue_full", back + 1))) }
    }
    return metrics
  }
}
