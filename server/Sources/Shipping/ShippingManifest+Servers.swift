import ClickHouse
import GRDB
import TernEvents

extension ShippingManifest {
  /// The progress of each shard, by its name.
  package func progress() throws -> [String: Progress] {
    try queue.read { database in
      var all = try Row.fetchAll(
        database, sql: "SELECT shard, is_confirmed, sum(rows) FROM unit GROUP BY shard, is_confirmed"
      ).reduce(into: [String: Progress]()) { progress, row in
        let (shard, isConfirmed, rows): (String, Bool, Int) = (row[0], row[1], row[2])
        let figure: WritableKeyPath<Progress, Int> = isConfirmed ? \.confirmedRows : \.waitingRows
        progress[shard, default: Progress()][keyPath: figure] = rows
      }
      let older = try Row.fetchAll(
        database, sql: "SELECT shard, count(*), min(unclean_since) FROM unit WHERE NOT is_clean GROUP BY shard")
      for row in older {
        let (shard, units, since): (String, Int, Int64) = (row[0], row[1], row[2])
        all[shard, default: Progress()].olderUnits = units
        all[shard, default: Progress()].olderSince = Timestamp(millisecondsSince1970: since)
      }
      return all
    }
  }

  /// The places of servers as they were found last, by address.
  package func places() throws -> [String: (shard: String?, replica: String?)] {
    try queue.read { database in
      try Row.fetchAll(database, sql: "SELECT url, shard, replica FROM server").reduce(into: [:]) {
        $0[$1["url"]] = (shard: $1["shard"], replica: $1["replica"])
      }
    }
  }

  /// Notes the place of a server, for starts at which it doesn't answer.
  package func note(_ place: ClusterTopology.Place) throws {
    try queue.write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO server VALUES (?, ?, ?)",
        arguments: [place.server.url, place.shard, place.replica])
    }
  }
}
