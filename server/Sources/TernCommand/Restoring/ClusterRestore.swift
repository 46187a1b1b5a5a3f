import AppCatalog
import ClickHouse
import Foundation
import Reports
import Shipping
import TernEvents
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// Makes a data directory of the rows that a cluster has of a home.
struct ClusterRestore {
  /// The time for a unit of rows, which all replicas of its shard share.
  private static let unitTime: Duration = .seconds(600)

  let connection: ClusterConnection
  let directory: String
  /// The backup with the catalog; `nil` to make a new catalog.
  let backup: String?
  let homeID: UInt64?
  let epoch: UInt64?
  let apps: [RestoredApp]

  /// The rows that were restored, and those that are left.
  private struct Outcome {
    let home: ShippingManifest.Home
    let summary: RestoredWarehouse.Summary
    let missingUnits: [ClosedRange<Int64>]
    /// The epochs with rows that are left out.
    let otherEpochs: [ClusterInventory.Epoch]
    let hasTables: Bool
  }

  func run() async throws {
    let topology: ClusterTopology
    do {
      topology = try await ClusterTopology.found(by: connection.client, on: connection.servers)
    } catch let error as ClickHouseError where error.code == .unreachable {
      throw ServerFailure(
        "\(error.message) If it is gone for good, remove its address from --clickhouse: one replica of each shard is enough."
      )
    }
    let shipped = ClusterInventory(connection.client, topology)
    let epochs = try await shipped.epochs()
    let target = try RestoredWarehouse(at: directory, backup: backup)
    let outcome: Outcome
    do {
      let catalog = try Catalog(directory: target.unfinished)
      let result = await Result { try await fill(target, catalog, shipped, epochs) }
      try catalog.close()
      outcome = try result.get()
      try target.finish()
    } catch {
      target.discard()
      throw error
    }
    say(outcome)
  }

  private func fill(
    _ target: RestoredWarehouse, _ catalog: Catalog, _ shipped: ClusterInventory, _ epochs: [ClusterInventory.Epoch]
  ) async throws -> Outcome {
    let all = try self.epochs(of: try findHome(catalog, epochs), epochs)
    guard let chosen = epoch.map({ number in all.first { $0.home.epoch == number } }) ?? all.last else {
      throw ServerFailure("The cluster has no rows of this epoch. It has \(Self.list(all))")
    }
    let home = chosen.home
    // Rows that had left home before its manifest was lost are in older epochs.
    let older = all.prefix { $0 != chosen }.map(\.home).reversed()
    let (units, others) = try await shipped.units(of: home, older: Array(older))
    let expected = units.reduce(0) { $0 + $1.rows }
    var apps: Set<Int64> = []
    for number in Set(units.map(\.epoch)) {
      apps.formUnion(try await shipped.apps(of: ShippingManifest.Home(id: home.id, epoch: number)))
    }
    try makeApps(catalog, apps.sorted())
    var stored: [(unit: ShippingUnit, shard: String, hasOlder: Bool)] = []
    var rows = 0
    for unit in units {
      let (copy, fetched) = try await self.rows(of: unit, home)
      var entry = copy
      entry.segment = try target.add(to: catalog) { try fetched.forEach($0) }
      stored.append((entry, unit.shard.name, unit.hasOlder))
      rows += fetched.rows
      Terminal.progress("\(grouped(rows)) of \(grouped(expected)) rows fetched")
    }
    let total = rows
    let summary = try target.derive { Terminal.progress("\(grouped($0)) of \(grouped(total)) rows counted") }
    Terminal.progress("")
    try ShippingManifest.restore(
      path: ClusterConnection.manifestPath(target.unfinished), home: home, units: stored)
    try catalog.record(.backupRestored, "the cluster's rows of home \(home.id)")
    return Outcome(
      home: home, summary: summary,
      missingUnits: Self.gaps(stored.map(\.unit).filter { $0.epoch == home.epoch }.map(\.number)),
      otherEpochs: all.compactMap { epoch in
        if epoch.received.upperBound > chosen.received.upperBound { return epoch }
        guard let rows = others[epoch.home] else { return nil }
        var left = epoch
        left.rows = rows
        return left
      }, hasTables: target.hasTables)
  }

  /// Fetches the newest generation of a unit, as one of the replicas has it.
  private func rows(
    of unit: ClusterInventory.Unit, _ home: ShippingManifest.Home
  ) async throws -> (ShippingUnit, ClusterRows.Unit) {
    let cluster = ClusterRows(connection.client, unit.shard, home: home, uptime: Clocks.systemUptime)
    var failure: ClickHouseError?
    // The copy with most rows first: another one may have lost some.
    for copy in unit.copies.sorted(by: { $0.content.rows > $1.content.rows }) {
      do {
        return (copy, try await cluster.rows(of: copy, within: Self.unitTime))
      } catch {
        failure = error
      }
    }
    throw failure ?? ClickHouseError(.damaged, "Unit \(unit.number) has no rows.")
  }

  // MARK: Choosing

  /// Returns the number of the home that the catalog or the option names.
  private func findHome(_ catalog: Catalog, _ epochs: [ClusterInventory.Epoch]) throws -> UInt64 {
    if backup != nil {
      let id = try ClusterConnection.homeID(catalog)
      guard homeID.map({ $0 == id }) ?? true else {
        throw ServerFailure(
          "This backup is of home \(id), not of --home \(homeID ?? 0). Leave --home out, or give another backup.")
      }
      return id
    }
    guard let homeID else {
      throw ServerFailure("Name the home with --home, or a backup. The cluster has \(Self.list(epochs))")
    }
    // Its secret is lost, from which the number was made.
    try catalog.setSetting(ClusterConnection.homeSetting, to: String(homeID))
    return homeID
  }

  private func epochs(of id: UInt64, _ epochs: [ClusterInventory.Epoch]) throws -> [ClusterInventory.Epoch] {
    let found = epochs.filter { $0.home.id == id }
    guard !found.isEmpty else {
      throw ServerFailure("The cluster has no rows of home \(id). It has \(Self.list(epochs))")
    }
    return found
  }

  private static func list(_ epochs: [ClusterInventory.Epoch]) -> String {
    guard !epochs.isEmpty else { return "no rows." }
    return epochs.map { epoch in
      let (first, last) = (text(epoch.received.lowerBound), text(epoch.received.upperBound))
      return
        "home \(epoch.home.id), epoch \(epoch.home.epoch): \(grouped(epoch.rows)) rows, received from \(first) to \(last)"
    }.joined(separator: "; ") + "."
  }

  private static func text(_ milliseconds: Int64) -> String {
    Timestamp(millisecondsSince1970: milliseconds).utcText(withMilliseconds: false)
  }

  /// Makes the apps that rows name and the catalog lacks.
  private func makeApps(_ catalog: Catalog, _ numbers: [Int64]) throws {
    for number in numbers {
      let given = apps.first { $0.id == number }
      if let app = try catalog.app(AppID(number)) {
        guard let zone = given?.zone, zone != app.timeZone else { continue }
        try catalog.changeApp(app.id, AppChange(timeZone: zone))
      } else {
        let app = try given ?? RestoredApp(asking: number)
        try app.create(in: catalog)
      }
    }
  }

  /// Returns the numbers from 1 that are missing.
  static func gaps(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
    var (gaps, next): ([ClosedRange<Int64>], Int64) = ([], 1)
    for number in numbers.sorted() {
      if number > next { gaps.append(next...number - 1) }
      next = number + 1
    }
    return gaps
  }

  // MARK: Saying

  private func say(_ outcome: Outcome) {
    let summary = outcome.summary
    Terminal.say(
      """
      Restored \(grouped(summary.rows)) rows of home \(outcome.home.id) to \(directory), up to row \(summary.lastRow), received at \
      \(Self.text(summary.lastReceived)).
      """)
    if !outcome.missingUnits.isEmpty {
      let numbers = outcome.missingUnits.prefix(20).map {
        $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)"
      }
      let others = outcome.missingUnits.count > 20 ? " and others" : ""
      Terminal.say(
        "Units \(numbers.joined(separator: ", "))\(others) have no rows on the cluster: all their rows were deleted, or they were never confirmed."
      )
    }
    if !outcome.otherEpochs.isEmpty {
      Terminal.say(
        """
        These rows of the home are not in this directory: \(Self.list(outcome.otherEpochs)) --epoch restores those instead, with \
        what had left home before. Don't use `tern clickhouse setup --discard-older`, which deletes them, before you know that \
        nobody needs them.
        """
      )
    }
    let tables = """
      attachments of errors unless they were copied, what devices said they have delivered, counts and samples of rejected events, whom a deletion \
      refuses for good, and the horizon of expired rows
      """
    Terminal.say(
      outcome.hasTables
        ? "Taken from the backup, since the cluster doesn't have them: \(tables)."
        : "The cluster doesn't have, and this directory lacks: \(tables).")
    Terminal.say(
      """
      Rows after the last one are lost, and so are those that were set aside. Days of views are sealed again. Repeat deletions of \
      persons that the cluster had not done.
      """)
    guard backup == nil else { return }
    Terminal.say(
      """
      Without the old catalog, views, definitions, segments, boards, accounts, tokens and links are gone as well, and an event that \
      was stored before and is delivered once more counts twice. `tern login-link` gives you access.
      """)
  }
}
