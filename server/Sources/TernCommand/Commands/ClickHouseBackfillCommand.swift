import AppCatalog
import ArgumentParser
import Shipping
import TernServer
import Warehouse
import WarehouseSQLite

/// `tern clickhouse backfill`
struct ClickHouseBackfillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backfill", abstract: "Send all rows that the cluster lacks, without a server.",
    discussion: """
      A server with --clickhouse sends them, too, those stored before that option was set included; this is for a data directory on
      which no server runs.

      Exit code 0: the cluster has all rows. 1: it lacks some that can't be read here, which are named.

      Example:
        tern clickhouse backfill --clickhouse http://db1:8123
      """)

  @OptionGroup var cluster: ClusterCommandOptions

  func run() async throws {
    let (connection, directory) = (try cluster.connection(), cluster.data.directory)
    let catalog = try cluster.data.openCatalog()
    defer { try? catalog.close() }
    let warehouse: SQLiteWarehouse
    do {
      warehouse = try SQLiteWarehouse(directory: directory, catalog: catalog)
    } catch let error as WarehouseError where error.code == .inUse {
      throw ServerFailure(
        "A server runs on \(directory). If it was started with --clickhouse, it sends all rows: see `tern clickhouse status`."
      )
    }
    let result = await Result {
      let copy = try ClusterCopy(
        connection, directory: directory, catalog: catalog, reader: warehouse.reader, patience: .zero
      ) { Terminal.complain("tern: \($0)") }
      defer { copy.close() }
      let unsent = try await ServerFailure.describing {
        try await withThrowingTaskGroup(of: [ClosedRange<Int64>].self) { group in
          group.addTask {
            while true {
              try await Task.sleep(for: .seconds(1))
              if let status = copy.status() { Terminal.progress("\(grouped(status.backlog)) rows to send") }
            }
          }
          group.addTask { try await copy.shipping.backfill() }
          // The first never ends.
          defer { group.cancelAll() }
          return try await group.next() ?? []
        }
      }
      return (rows: copy.status()?.confirmedRows ?? 0, unsent: unsent)
    }
    try await warehouse.close()
    Terminal.progress("")
    let (rows, unsent) = try result.get()
    guard unsent.isEmpty else {
      Terminal.complain("tern: \(Self.lack(of: unsent, rows: rows))")
      throw ExitCode(1)
    }
    Terminal.say("The cluster has all \(grouped(rows)) rows.")
  }

  /// Returns sentences about rows that were not sent.
  static func lack(of unsent: [ClosedRange<Int64>], rows: Int) -> String {
    let named = unsent.prefix(20).map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
    let others = unsent.count > 20 ? " and \(grouped(unsent.count - 20)) more ranges" : ""
    return """
      The cluster has \(grouped(rows)) rows, but not all of events \(named)\(others), because some of them can't be read here. \
      Restore the data directory from a backup, or run `tern rebuild`, which removes what can't be read.
      """
  }
}
