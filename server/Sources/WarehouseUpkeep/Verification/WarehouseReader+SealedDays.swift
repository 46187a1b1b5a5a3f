import Ingest
import ServerBase
import TernEvents
import Views
import Warehouse
import WarehouseSQLite

extension WarehouseReader {
  /// Recounts every sealed day from the hits received in time and lists those that differ. Days that lost rows, of deleted
  /// persons, can't be recounted.
  func verifyViews(_ connection: SQLConnection, _ report: inout VerificationReport) throws {
    for view in try catalog.views(app: nil) {
      let reading = try ViewReading(view, connection, self)
      var remembered = 0
      let lost = try lostDays(view.app, connection)
      for number in try reading.sealedDays() {
        if let bounds = reading.calendar.bounds(of: number), Self.overlaps(bounds, lost) {
          remembered += try reading.storedStateCount(of: number)
          reading.memory.restart(at: number + 1)
          continue
        }
        guard let sealed = try reading.sealed(number) else { continue }
        let counted = try reading.counted(number, through: reading.sealRow(number))
        // Each day is compared using the stored state of earlier days, which were compared before it.
        reading.memory.restart(at: number + 1)
        report.metrics += 1
        remembered += counted.changes.count
        let isSame = sealed.present == counted.encodedPresent && sealed.metrics == counted.encodedMetrics
        guard try !isSame || !reading.hasStored(counted.changes, of: number) else { continue }
        report.add(
          VerificationReport.Difference(
            app: view.app, day: Day(number: number), dimension: .total, key: "view \(view.id)",
            expected: "\(counted.totals.hits) hits", found: "a sealed day with other metrics"),
          isSealed: true)
      }
      try verifyMemory(of: reading, remembered, &report)
    }
  }

  /// Returns the UTC days that lost rows.
  private func lostDays(_ app: AppID, _ connection: SQLConnection) throws -> Set<Int64> {
    Set(try connection.prepare("SELECT day FROM lost_day WHERE app = ?").bind(app.rawValue).all { $0.integer(0) })
  }

  private static func overlaps(_ times: Range<Int64>, _ days: Set<Int64>) -> Bool {
    guard !days.isEmpty else { return false }
    let last = flooredQuotient(times.upperBound - 1, 86_400_000)
    return (flooredQuotient(times.lowerBound, 86_400_000)...last).contains { days.contains($0) }
  }

  /// Checks that the stored state is exactly that of the sealed days.
  private func verifyMemory(of reading: ViewReading, _ expected: Int, _ report: inout VerificationReport) throws {
    let found = try reading.storedStateCount()
    report.metrics += 1
    guard found != expected, let last = try reading.lastSealed() else { return }
    report.add(
      VerificationReport.Difference(
        app: reading.view.app, day: Day(number: last), dimension: .total, key: "view \(reading.view.id)",
        expected: "\(expected) rows of users and orders", found: "\(found)"), isSealed: true)
  }
}
