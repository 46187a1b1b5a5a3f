import Warehouse
import WarehouseSQLite

/// The groups of errors of an app that people made one, and the signatures that they took out of theirs.
///
/// A merge names signatures, and holds for all signatures that have their keys, so it outlives symbols that change these keys.
/// Merges may form chains and circles: all groups that they connect are one, with the key of one of them. A signature that was taken
/// out is alone, whatever its own key is.
struct MergedGroups {
  private struct Key: Hashable {
    var kind: Int64
    var own: Int64
  }

  private let connection: SQLConnection
  private let app: Int64
  private let split: [Int64]
  /// The keys that are merged, with a key that stands for the group, which may be merged itself.
  private var parents: [Key: Key] = [:]

  init(_ merges: [ErrorDecisions.Merge], split: [Int64], app: Int64, _ connection: SQLConnection) throws {
    (self.app, self.split, self.connection) = (app, split, connection)
    let find = try connection.prepare("SELECT kind, own_key FROM error_group WHERE id = ? AND app = ?")
    for merge in merges {
      func key(_ id: Int64) throws -> Key? {
        try find.bind(id, app).first { Key(kind: $0.integer(0), own: $0.integer(1)) }
      }
      guard let group = try key(merge.group), let into = try key(merge.into), group.kind == into.kind else { continue }
      let (first, second) = (root(of: group), root(of: into))
      if first != second { parents[first] = second }
    }
  }

  private func root(of key: Key) -> Key {
    var key = key
    while let parent = parents[key] { key = parent }
    return key
  }

  /// Gives all signatures of the app the keys that hold.
  func apply() throws {
    let changed = try connection.prepare(
      "SELECT DISTINCT kind, own_key FROM error_group WHERE app = ? AND key <> own_key")
    let earlier = try changed.bind(app).all { Key(kind: $0.integer(0), own: $0.integer(1)) }
    let update = try connection.prepare(
      "UPDATE error_group SET key = ?4 WHERE app = ?1 AND kind = ?2 AND own_key = ?3 AND key <> ?4")
    for key in Set(earlier).union(parents.keys) { try update.bind(app, key.kind, key.own, root(of: key).own).run() }
    // The fingerprint is one of its own.
    let take = try connection.prepare(
      "UPDATE error_group SET key = fingerprint WHERE id = ? AND app = ? AND signature <> ''")
    for id in split { try take.bind(id, app).run() }
  }
}
