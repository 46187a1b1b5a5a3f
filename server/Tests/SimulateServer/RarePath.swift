import SimulatedDisk
import Warehouse

/// A path that a run must have taken to say something about it.
enum RarePath: Hashable, Sendable, CustomStringConvertible {
  case tornLog(String)
  case repeated(DataJob.Kind)
  case unknownRows
  case unfinishedKeys
  case unfinishedBackup
  case expiredKeys
  case columns
  case noCatalog
  case failedWrite(isCommit: Bool)
  case failedSync(isCommit: Bool)
  case fullDisk(isCommit: Bool)

  /// Those that a long run takes.
  static let all: [RarePath] =
    ["catalog", "warehouse", "counts"].map(tornLog)
    + [.deletePerson, .deleteApp, .deleteView, .changeZone, .removeRows, .importFile].map(repeated)
    + [.unknownRows, .unfinishedKeys, .unfinishedBackup, .expiredKeys, .columns, .noCatalog]
    + [true, false].flatMap { [.failedWrite(isCommit: $0), .failedSync(isCommit: $0), .fullDisk(isCommit: $0)] }

  static func fault(_ fault: ServerLife.Fault, _ step: ServerStep) -> RarePath {
    let isCommit =
      switch step {
      case .commit, .commitToApp: true
      default: false
      }
    return switch fault {
    case .write: .failedWrite(isCommit: isCommit)
    case .sync: .failedSync(isCommit: isCommit)
    case .full: .fullDisk(isCommit: isCommit)
    }
  }

  /// The paths that begin with what is on the disk.
  static func paths(of image: DiskImage) -> Set<RarePath> {
    var paths: Set<RarePath> = []
    for name in ["catalog", "warehouse", "counts"] where image.torn.contains("/data/\(name).sqlite-wal") {
      paths.insert(.tornLog(name))
    }
    if image.files.keys.contains(where: { $0.hasPrefix("/data/keys/") && !$0.hasSuffix(".keys") }) {
      paths.insert(.unfinishedKeys)
    }
    if image.files.keys.contains(where: { $0.hasPrefix("/data/keys/") && $0.hasSuffix(".expired") }) {
      paths.insert(.expiredKeys)
    }
    if image.files.keys.contains(where: { $0.hasPrefix("/data/columns/") }) { paths.insert(.columns) }
    if image.folders.contains(where: { $0.hasSuffix(".unfinished") }) { paths.insert(.unfinishedBackup) }
    if image.files["/data/catalog.sqlite"]?.isEmpty ?? true { paths.insert(.noCatalog) }
    return paths
  }

  var description: String {
    switch self {
    case .tornLog(let name): "a torn write-ahead log of \(name).sqlite"
    case .repeated(let job): "a job that waits at the start: \(job.rawValue)"
    case .unknownRows: "rows of a transaction that did not end"
    case .unfinishedKeys: "a run of keys that was being written"
    case .unfinishedBackup: "a backup that was being made"
    case .expiredKeys: "keys that had expired"
    case .columns: "columns on the disk"
    case .noCatalog: "a first start that didn't end"
    case .failedWrite(let isCommit): "a failed write in \(isCommit ? "a commit" : "other work")"
    case .failedSync(let isCommit): "a failed sync in \(isCommit ? "a commit" : "other work")"
    case .fullDisk(let isCommit): "a full disk in \(isCommit ? "a commit" : "other work")"
    }
  }
}
