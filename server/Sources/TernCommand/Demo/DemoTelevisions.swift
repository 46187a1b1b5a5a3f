import AppCatalog
import Foundation
import Ingest
import TernBase
import TernEvents
import Warehouse
import WarehouseSQLite

/// The history of televisions that still send hits of the Measurement Protocol, for the demo's view.
///
/// Hits are stored with the times at which they would have been received, because a view counts only what arrives until
/// 04:00 on the next day. Some televisions were offline for days, so theirs are late.
struct DemoTelevisions {
  static let trackingID = "UA-2026-1"
  private static let timeZone = "America/Los_Angeles"
  private static let day: Int64 = 86_400_000

  let app: App
  let days: Int
  let seed: UInt64
  let warehouse: SQLiteWarehouse
  let key: DuplicateHashKey

  /// Creates the app of the televisions with its view. An app of its own, because events of devices that play their
  /// history today would all be late in the view.
  static func createApp(_ catalog: Catalog) throws -> App {
    let app = try catalog.createApp(name: "Demo Player TV", trackingID: trackingID)
    _ = try catalog.createView(app: app.id, name: "Los Angeles", timeZone: timeZone)
    return app
  }

  /// Stores the hits of all days before a time.
  func play(until now: Timestamp) async throws {
    for delivery in Self.deliveries(days: days, until: now, seed: seed) {
      let received = Timestamp(millisecondsSince1970: delivery.received)
      let parsed = Array(delivery.body.utf8).withUnsafeBytes {
        MeasurementParser.batch($0, received: received, key: key)
      }
      for batch in parsed { _ = try await warehouse.commit(batch.batch, app: app.id) }
    }
  }

  /// A request and the time at which it arrived.
  struct Delivery: Equatable {
    let received: Int64
    let body: String
  }

  /// The requests of all televisions, in the order in which they arrived.
  static func deliveries(days: Int, until now: Timestamp, seed: UInt64) -> [Delivery] {
    let now = now.millisecondsSince1970
    var generator = FastGenerator(seed: seed &+ 88)
    let today = now - now % day
    var deliveries: [Delivery] = []
    for number in 0..<30 {
      let client = UniqueID.random(using: &generator)
      let habit = Double.random(in: 0.1..<0.7, using: &generator)
      for back in stride(from: days, to: 0, by: -1) where Double.random(in: 0..<1, using: &generator) < habit {
        // From 17:00 to 22:00 in Los Angeles: in UTC, that is the next day.
        let evening = today - Int64(back) * day + Int64.random(in: 0..<18_000, using: &generator) * 1_000
        var time = evening
        var hits: [(time: Int64, parameters: String)] = [(time, "t=screenview&cd=Home")]
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
          time += Int64.random(in: 60...900, using: &generator) * 1_000
          let kind = ["Film", "Sport", "Music"][Int.random(in: 0..<3, using: &generator)]
          hits.append((time, "t=screenview&cd=Player"))
          hits.append(
            (time + 5_000, "t=event&ec=Video&ea=Play&el=\(kind)&ev=\(Int.random(in: 1...90, using: &generator))"))
        }
        let isOffline = Double.random(in: 0..<1, using: &generator) < 0.07
        let delay = isOffline ? Int64.random(in: 30...120, using: &generator) * 3_600_000 : 60_000
        let received = time + delay
        guard received < now else { continue }
        let version = back * 2 > days ? "2.4" : "2.5"
        let start = "v=1&tid=\(trackingID)&cid=\(client)&an=Demo+Player+TV&av=\(version)&ul=en-us&sr=1920x1080"
        let lines = hits.enumerated().map { index, hit in
          "\(start)&\(hit.parameters)&qt=\(received - hit.time)&z=\(number)\(back)\(index)"
        }
        deliveries.append(Delivery(received: received, body: lines.joined(separator: "\n")))
      }
    }
    return deliveries.sorted { $0.received < $1.received }
  }
}
