import ServerBase
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

extension Backup.Summary {
  /// A sentence about a backup.
  package var text: String {
    let size = bytes == copiedBytes ? "" : ", \(Self.sizeText(copiedBytes)) of it new"
    let retired =
      retiredEvents == 0
      ? "" : " \(grouped(retiredEvents)) of the events are not in it: only the ClickHouse cluster has them."
    return "\(grouped(events)) events, \(Self.sizeText(bytes))\(size). All files were verified.\(retired)"
  }

  private static func sizeText(_ bytes: Int) -> String {
    bytes >= 10 << 20 ? "\(grouped(bytes >> 20)) MiB" : "\(grouped(bytes >> 10)) KiB"
  }
}
