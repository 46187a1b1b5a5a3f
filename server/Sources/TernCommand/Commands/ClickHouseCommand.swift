import AppCatalog
import ArgumentParser
import ClickHouse
import Reports
import Shipping
import TernServer
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// `tern clickhouse`
struct ClickHouseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clickhouse", abstract: "Keep a copy of every row on a ClickHouse cluster.",
    discussion: """
      `tern serve --clickhouse ADDRESSES` copies every row once, those stored before, too. docs/scaling.md tells when a cluster is \
      worth it, and how to run one.

      The password is in TERN_CLICKHOUSE_PASSWORD, in the file of settings, or with the user in a file of its own
      (--clickhouse-credentials): never in an address or an option, which others on the machine could read.

      Examples:
        export TERN_CLICKHOUSE=http://db1:8123,http://db2:8123
        tern clickhouse setup                        make tables and views
        tern serve                                   collect, and copy
        tern clickhouse status                       how far the copy is
        tern clickhouse verify                       compare every row
        tern clickhouse retire --before 2025-01-01   keep older rows on the cluster only
      """,
    subcommands: [
      ClickHouseSetupCommand.self, ClickHouseStatusCommand.self, ClickHouseVerifyCommand.self,
      ClickHouseBackfillCommand.self, ClickHouseRetireCommand.self,
    ])
}

/// The options of all commands about a cluster.
struct ClusterCommandOptions: ParsableArguments {
  @OptionGroup var data: DataOption
  @OptionGroup var options: ClusterOptions

  func connection() throws -> ClusterConnection {
    guard let connection = try ClusterConnection(try options.settings(data)) else {
      throw ServerFailure("Name the servers of the cluster with --clickhouse, such as --clickhouse http://db1:8123.")
    }
    return connection
  }

  /// Runs `body` with a copy that reads the data directory. A server may be running on it.
  ///
  /// - Parameter needsManifest: True to fail if nothing was ever sent from there.
  func withCopy<Value>(
    needsManifest: Bool = false, _ body: (ClusterConnection, ClusterCopy, Catalog) async throws -> Value
  ) async throws -> Value {
    let connection = try connection()
    if needsManifest, !ClusterConnection.hasManifest(directory: data.directory) {
      throw ServerFailure("Nothing was sent from \(data.directory) yet. Run `tern clickhouse setup` first.")
    }
    return try await data.withReader { catalog, reader in
      let copy = try ClusterCopy(connection, directory: data.directory, catalog: catalog, reader: reader) {
        Terminal.complain("tern: \($0)")
      }
      defer { copy.close() }
      return try await ServerFailure.describing { try await body(connection, copy, catalog) }
    }
  }
}

/// `tern clickhouse setup`
struct ClickHouseSetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Make the tables and views on all servers of the cluster.",
    discussion: """
      Can be repeated: existing tables stay as they are, views are made again. Servers with the macros shard and replica
      get replicated tables.

      Examples:
        tern clickhouse setup --clickhouse http://db1:8123
        tern clickhouse setup --clickhouse http://a1:8123,http://a2:8123,http://b1:8123 --cluster tern
      """)

  @OptionGroup var cluster: ClusterCommandOptions

  @Option(
    name: .customLong("cluster"),
    help: ArgumentHelp(
      "The name of the cluster in the servers' settings (remote_servers), so that views show the rows of all shards.",
      valueName: "name"))
  var name: String?

  @Flag(
    help: """
      Delete the rows that this server sent before its data directory was restored from a backup, or lost shipping.sqlite. \
      Rows that have left this directory stay on the cluster.
      """)
  var discardOlder = false

  func validate() throws {
    if let name, !name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }) {
      throw ValidationError("The name of a cluster has letters, digits, - and _.")
    }
  }

  func run() async throws {
    try await cluster.withCopy { connection, copy, _ in
      try await copy.shipping.setUp(cluster: name, database: connection.database)
      Terminal.say("The tables and the views \(ClusterSchema.eventView) and \(ClusterSchema.errorView) are there.")
      guard discardOlder else { return }
      let rows = try await copy.shipping.discardOlder { Terminal.progress("\(grouped($0)) rows are left") }
      Terminal.progress("")
      Terminal.say("\(grouped(rows)) older rows were deleted.")
      let retired = copy.status()?.retiredRows ?? 0
      if retired > 0 { Terminal.say("\(grouped(retired)) rows that have left home stay on the cluster.") }
    }
  }
}

/// `tern clickhouse status`
struct ClickHouseStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how far the copy is, by shard, and whether each server answers.",
    discussion: """
      Exit code 0: all servers answer. 1: some don't, or the tables are missing. 3: all answer, but the cluster still has rows that
      were deleted or replaced here.

      Example:
        tern clickhouse status --clickhouse http://db1:8123
      """)

  @OptionGroup var cluster: ClusterCommandOptions

  func run() async throws {
    let (status, servers, changed) = try await cluster.withCopy(needsManifest: true) { _, copy, _ in
      (copy.status() ?? ClusterStatus(), await copy.shipping.serverStates(), try await copy.shipping.changedUnits())
    }
    let isServed = try cluster.data.withCatalog { try $0.isServed() }
    Terminal.say("This data directory is home \(status.home) of the cluster.")
    for shard in status.shards {
      let waiting = shard.waitingRows == 0 ? "" : ", \(grouped(shard.waitingRows)) on their way"
      Terminal.say("Shard \(shard.name): \(grouped(shard.confirmedRows)) rows\(waiting).")
      if let since = shard.olderSince {
        Terminal.say(
          """
          It may still have rows, in \(grouped(shard.olderUnits)) units, that were deleted or replaced here, since \
          \(since.utcText(withMilliseconds: false)).
          """)
      }
    }
    for state in servers {
      let answer = state.isBehind ? "answers, but has yet to copy rows from other replicas" : "answers"
      Terminal.say(state.problem ?? "\(state.server) \(answer).")
    }
    let newest =
      status.newRows == 0 ? "" : ", up to \(grouped(status.newRows)) of them newer than a minute or not begun"
    Terminal.say(
      status.backlog == 0
        ? "Every row is on the cluster." : "\(grouped(status.backlog)) rows are at home only\(newest).")
    if status.retiredRows > 0 { Terminal.say("\(grouped(status.retiredRows)) old rows are only on the cluster.") }
    if status.olderUnits + changed > 0 {
      Terminal.say("Rows that were deleted or replaced here are being deleted there.")
    }
    if !isServed {
      Terminal.say("No server is running here. `tern serve --clickhouse …` or `tern clickhouse backfill` sends rows.")
    }
    if servers.contains(where: { $0.problem != nil }) { throw ExitCode(1) }
    if status.olderUnits + changed > 0 { throw ExitCode(3) }
  }
}

/// `tern clickhouse verify`
struct ClickHouseVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare every row with those of each replica.",
    discussion: """
      Reads all rows of the cluster. Works while a server runs. Exit code 0: no differences. 1: differences, with one row of
      each unit that differs. 3: no differences, but the cluster still has rows that were deleted or replaced here, so that
      their units were not compared.

      Examples:
        tern clickhouse verify --clickhouse http://db1:8123
        tern clickhouse verify --clickhouse http://db1:8123 --mend
      """)

  @OptionGroup var cluster: ClusterCommandOptions

  @Flag(
    help: """
      Have the server send units that differ again, and delete rows that this server doesn't have. Rows that can't be read here are \
      read from the cluster.
      """)
  var mend = false

  func run() async throws {
    var differences = 0
    var unreadable: [Int64] = []
    let rows = try await cluster.withCopy(needsManifest: true) { _, copy, _ in
      try await copy.shipping.verify(mends: mend) { difference in
        differences += 1
        if let rows = difference.unreadable { unreadable.append(rows.ids.lowerBound) }
        Terminal.progress("")
        Terminal.say(ServerFailure.line("\(difference)"))
      } progress: {
        Terminal.progress("\(grouped($0)) rows compared")
      }
    }
    Terminal.progress("")
    let waiting = rows.waiting == 0 ? "" : " \(grouped(rows.waiting)) rows that are on their way were not compared."
    guard differences > 0 else {
      Terminal.say("\(grouped(rows.compared)) rows are the same on every replica.\(waiting)")
      guard rows.olderUnits > 0 else { return }
      Terminal.say(
        """
        \(grouped(rows.olderUnits)) units were not compared: the cluster still has rows of them that were deleted or replaced here. \
        Verify again when `tern clickhouse status` says nothing of them.
        """)
      throw ExitCode(3)
    }
    if mend, !unreadable.isEmpty { try await restore(unreadable) }
    Terminal.complain(
      mend
        ? "tern: The server that runs here, or `tern clickhouse backfill`, sends the units that differ again. Verify again afterwards."
        : "tern: \(grouped(differences)) differences. Run this with --mend to send them again.")
    throw ExitCode(1)
  }

  /// Has files of rows that can't be read mended: by the server that runs here, or at once if there is none.
  ///
  /// - Parameter rows: A row of each.
  private func restore(_ rows: [Int64]) async throws {
    let catalog = try cluster.data.openCatalog()
    defer { try? catalog.close() }
    try cluster.connection().connectRetiredRows(of: cluster.data.directory, catalog)
    let warehouse: SQLiteWarehouse
    do {
      warehouse = try SQLiteWarehouse(directory: cluster.data.directory, catalog: catalog)
    } catch let error as WarehouseError where error.code == .inUse {
      let files = try await cluster.data.withReader { try $1.rowFiles(of: rows) }
      try Scrub.request(files, catalog)
      return Terminal.say(
        "The server that runs here reads the rows that it can't read from the cluster, within some minutes, unless it runs with --scrub-every 0."
      )
    }
    let result = await Result {
      for file in try warehouse.reader.rowFiles(of: rows) {
        let isMended = try await warehouse.mend(file)
        Terminal.say(
          isMended
            ? "\(file.path) was damaged. Its events were read from the cluster."
            : "\(file.path) is damaged, and the cluster doesn't have all of its events.")
      }
    }
    try await warehouse.close()
    try result.get()
  }
}
