import Ingest
import TernEvents
import Warehouse

@testable import Reports
@testable import Views

/// Counts batches as two days of views with different settings, without a warehouse.
enum DayCheck {
  private static let filters = [ViewFilter("av!=7")].compactMap(\.self)
  private static let variants: [(ViewSettings, [ViewFilter])] = [
    (ViewSettings(hasQuotas: true, currency: "EUR"), []),
    (ViewSettings(sessionTimeout: .seconds(60), campaignDays: 1, identity: .user), filters),
  ]

  static func count(_ batches: [IncomingBatch]) {
    let hits = batches.flatMap(hits(of:))
    guard !hits.isEmpty else { return }
    let rules = CustomRules(StoredViews.definitions)
    for (settings, filters) in variants {
      var sum = ViewDay()
      var (states, orders): ([UInt32: UserState], [OrderID: ViewOrder]) = ([:], [:])
      for shift in [0, 86_400_000] as [Int64] {
        let shifted = hits.map { hit in
          var hit = hit
          hit.time = EventTime(hit.time.milliseconds + shift)
          hit.received = EventTime(hit.received.milliseconds + shift)
          return hit
        }
        var builder = ViewDayBuilder(filters: filters, settings: settings, rules: rules) { time in
          Int((time / 3_600_000 % 24 + 24) % 24)
        }
        builder.add(portion: shifted, states)
        let day = builder.finished { orders[$0] }
        check(day)
        sum.merge(day)
        sum.merge(day)
        states.merge(day.changes.states) { $1 }
        for (id, order) in day.changes.orders {
          var total = orders[id] ?? ViewOrder()
          total.add(order)
          orders[id] = total
          let read = order.encoded.withUnsafeBytes { ViewOrder($0) }
          precondition(read == order, "an order is not read as it was stored")
        }
        guard builder.isReversible, let first = shifted.first else { continue }
        builder.remove(shifted.filter { $0.slot == first.slot }, of: first.slot, nil)
        check(builder.finished { orders[$0] })
      }
      check(sum)
    }
  }

  /// Stores and reads a day, and writes its numbers as reports do.
  private static func check(_ day: ViewDay) {
    let (present, metrics) = (day.encodedPresent, day.encodedMetrics)
    let read = present.withUnsafeBytes { present in metrics.withUnsafeBytes { ViewDay(present: present, metrics: $0) } }
    precondition(read?.encodedMetrics == metrics, "a day is not read as it was stored")
    _ = ReportValue.millionths(day.totals.revenue)
    _ = ReportValue.averageDuration(day.totals.duration, day.totals.sessions)
    for rows in day.tables.values {
      for row in rows.values { for number in row.numbers { _ = ReportValue.millionths(number) } }
    }
  }

  /// The hits of a batch, as the warehouse would give them to a view.
  private static func hits(of batch: IncomingBatch) -> [ViewHit] {
    let stored = Dictionary(batch.hits.map { ($0.event, $0) }, uniquingKeysWith: { $1 })
    return batch.events.enumerated().compactMap { position, event in
      guard ![.drops, .attachment, .attachmentPart].contains(event.kind) else { return nil }
      let parameters =
        stored[position].map { Dictionary($0.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }) }
        ?? ViewHit.parameters(
          kind: event.kind, startsSession: event.startsSession, isMeasurement: batch.source == .measurement,
          name: event.name, properties: event.properties.map { ($0.name, "\($0.value)") })
      return ViewHit(
        id: Int64(position), time: event.time.millisecondsSince1970, received: batch.received.millisecondsSince1970,
        slot: UInt32(event.install), user: event.user, device: batch.devices[event.device], parameters: parameters)
    }
  }
}
