import Ingest
import TernEvents
package import Warehouse

extension MemoryFigures {
  /// A few weeks of a small app, the same for the same seed.
  package static func seeded(_ seed: UInt64, ending today: Day, days: Int = 45) -> MemoryFigures {
    var generator = FastGenerator(seed: seed)
    var figures = MemoryFigures()
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
        figures.rows.append(
          Row(day: day, kind: .sessionStart, install: install, device: device, startsSession: true))
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
          figures.rows.append(
            Row(
              day: day, name: names.randomElement(using: &generator) ?? "", install: install, device: device,
              properties: [.init(name: "HD", value: .boolean(Bool.random(using: &generator)))]))
        }
      }
      if back.isMultiple(of: 4) { figures.rows.append(Row(day: day, install: 1, loss: ("queue_full", back + 1))) }
    }
    return figures
  }
}
