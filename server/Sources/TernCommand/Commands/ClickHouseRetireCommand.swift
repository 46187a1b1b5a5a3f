import AppCatalog
import ArgumentParser
import Reports
import Shipping
import TernEvents
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern clickhouse retire`
struct ClickHouseRetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Delete old rows at home that every replica has; they are fetched when needed.",
    discussion: """
      Rows leave in files of 64 MiB, each only if all of its rows were received before the date, are older than duplicates are
      recognized (--recognize-duplicates and 30 days), and are the same on every replica. Counts, columns and reports stay.
      While a server runs on the directory, it does the work.

      Example:
        tern clickhouse retire --before 2025-01-01 --clickhouse http://db1:8123 --yes
      """)

  @Option(help: ArgumentHelp("The day (UTC) before which rows were received.", valueName: "day"), transform: Period.day)
  var before: Day

  @Flag(help: "Delete them at home; without this, only see how many would leave.")
  var yes = false

  @Option(\.recognizeDuplicates) var recognizeDuplicates: String?

  @OptionGroup var cluster: ClusterCommandOptions

  func run() async throws {
    let connection = try cluster.connection()
    var settings = try cluster.options.settings(cluster.data)
    if let recognizeDuplicates { settings.options["recognize-duplicates"] = [recognizeDuplicates] }
    let recognizedAge = try settings.value(\.recognizeDuplicates)
    let time = Timestamp(millisecondsSince1970: Int64(before.number) * 86_400_000)
    let limit = RowRetirement.limit(before: time, recognizedAge: recognizedAge, now: WallClock.system())
    guard yes else { throw ServerFailure(try await preview(limit, isHeldBack: limit < time.millisecondsSince1970)) }
    let catalog = try cluster.data.openCatalog()
    defer { try? catalog.close() }
    if try catalog.isServed() {
      let job = try catalog.requestRetirement(before: time)
      return Terminal.say(try await JobRunner.wait(for: job, cluster.data, catalog))
    }
    let warehouse = try SQLiteWarehouse(directory: cluster.data.directory, catalog: catalog)
    let result = await Result {
      let copy = try ClusterCopy(
        connection, directory: cluster.data.directory, catalog: catalog, reader: warehouse.reader
      ) { Terminal.complain("tern: \($0)") }
      defer { copy.close() }
      return try await ServerFailure.describing {
        try await RowRetirement(warehouse: warehouse, shipping: copy.shipping).run(receivedBefore: limit) {
          Terminal.progress("\(grouped($0)) rows have left")
        }
      }
    }
    try await warehouse.close()
    Terminal.progress("")
    Terminal.say(try result.get().text)
  }

  /// Says what would leave.
  private func preview(_ limit: Int64, isHeldBack: Bool) async throws -> String {
    let segments = try await cluster.data.withReader { try await $1.segments(receivedBefore: limit) }
    let rows = segments.reduce(0) { $0 + Int($1.ids.upperBound - $1.ids.lowerBound) + 1 }
    let bytes = segments.reduce(0) { $0 + $1.bytes }
    let day = Day(number: Int(limit / 86_400_000))
    let reason =
      isHeldBack ? " Rows received since \(day) stay: their duplicates are recognized (--recognize-duplicates)." : ""
    guard !segments.isEmpty else { return "No rows can leave.\(reason)" }
    return """
      Up to \(grouped(rows)) rows, \(grouped(bytes >> 20)) MiB, would leave this server and be on the cluster only.\(reason) \
      To confirm, add --yes.
      """
  }
}
