import Ingest
import ServerBase
import Views
package import Warehouse

extension WarehouseReader {
  /// Returns a view's current activity; see ``MetricsStore/viewRealtime(_:now:)``.
  package func viewRealtime(_ view: View, now: Int64) async throws -> ViewRealtime {
    try await withTurn(view, now: now) { reading in
      let today = reading.calendar.day(of: now)
      let earlier = SlotSet()
      for day in try reading.busyDays.get() where day < today { earlier.formUnion(try reading.present(day)) }
      var builder = ViewRealtimeBuilder(now: now, earlier: earlier)
      let since = now - Int64(ViewRealtime.length) * 60_000
      try reading.portions((since + 1)..<Int64.max) { _, time, received in
        reading.calendar.counts(time: time, received: received)
      } body: { hits in
        let wanted = hits.filter {
          view.rules(on: Day(number: reading.calendar.day(of: $0.time.milliseconds))).admits($0.parameters)
        }
        for (slot, hits) in Dictionary(grouping: wanted, by: \.slot) { builder.add(hits, slot) }
      }
      return builder.finished()
    }
  }
}
