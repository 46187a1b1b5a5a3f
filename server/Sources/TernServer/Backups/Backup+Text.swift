import ServerBase
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

extension Backup.Summary {
  /// A sentence about a backup.
  package var text: String {
    let size = bytes == copiedBytes ? "" : ", \(Self.sizeText(copiedBytes)) of it new"
    let unshared =
      linkFailure.map {
        """
         It shares no files with the backup before, and takes its full size: the file system made no hard links (\($0)).
        """
      } ?? ""
    return "\(content)\(size). All files were verified.\(unshared)\(retired)"
  }

  /// The content of a backup in words.
  package var content: String { "\(grouped(events)) events, \(Self.sizeText(bytes))" }

  /// A sentence about events that aren't in the backup, after a space; empty if all are.
  package var retired: String {
    retiredEvents == 0
      ? "" : " \(grouped(retiredEvents)) of the events are not in it: only the ClickHouse cluster has them."
  }

  /// A sentence about files of the backup before that were damaged; `nil` if none were.
  package var damageBefore: String? {
    guard let first = damagedBefore.first else { return nil }
    let others = damagedBefore.count - 1
    let more = others == 0 ? "" : " So \(others == 1 ? "is another file" : "are \(grouped(others)) other files")."
    return "\(first) is damaged or missing, and was copied anew.\(more)"
  }

  private static func sizeText(_ bytes: Int) -> String {
    bytes >= 10 << 20 ? "\(grouped(bytes >> 20)) MiB" : "\(grouped(bytes >> 10)) KiB"
  }
}
