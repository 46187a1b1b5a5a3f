import Foundation
import Warehouse

extension DataDirectory {
  /// The bytes on disk of each part: `catalog`, `warehouse`, `counts`, `rows`, `keys` and `columns`. Files that vanish
  /// meanwhile don't count.
  package var diskBytes: [String: Int64] {
    [
      "catalog": databaseBytes(catalogPath), "warehouse": databaseBytes(warehousePath),
      "counts": databaseBytes(countsPath), "rows": folderBytes(rowsPath), "keys": folderBytes(keysPath),
      "columns": folderBytes(columnsPath), "symbols": folderBytes(symbolsPath),
    ]
  }

  private func databaseBytes(_ path: String) -> Int64 {
    ["", "-wal", "-shm"].reduce(0) { $0 + Self.bytes(path + $1) }
  }

  private func folderBytes(_ path: String) -> Int64 {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.reduce(0) { $0 + Self.bytes("\(path)/\($1)") }
  }

  private static func bytes(_ path: String) -> Int64 {
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size]
    return (size as? NSNumber)?.int64Value ?? 0
  }
}
