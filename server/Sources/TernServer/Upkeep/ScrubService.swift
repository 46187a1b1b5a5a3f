import AppCatalog
import Foundation
import Logging
import ServiceLifecycle
import TernBase
import TernEvents
import Warehouse
import WarehouseSQLite
import WarehouseUpkeep

/// Reads and checks all files from time to time while the server runs, and mends what can be made again.
struct ScrubService: Service {
  /// The time between two looks for files that are due.
  private static let pollInterval: Duration = .seconds(300)
  /// The catalog's setting with the time up to which files were checked, in milliseconds since 1970.
  static let positionSetting = "scrub_position"
  static let backupPositionSetting = "scrub_position_backups"
  /// The catalog's setting with the identities of files that a command asks to check soon, as JSON.
  static let requestSetting = "scrub_requested"
  /// The catalog's setting with the damaged files, as JSON: their paths by identity. They are checked again after a start.
  static let damagedSetting = "scrub_damaged"

  let warehouse: SQLiteWarehouse
  let catalog: Catalog
  let backups: BackupSeries?
  /// The copy of the rows on a cluster; `nil` if there is none.
  let copy: ClusterCopy?
  let logger: Logger
  /// The time in which each file is checked once.
  let period: Duration

  func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        var scrub = try Scrub(self, now: WallClock.system())
        while !Task.isCancelled {
          do {
            // Ends after a while: a file that a command asks for doesn't wait for everything that is due.
            let end = ContinuousClock.now + Self.pollInterval
            guard try await scrub.tick(now: WallClock.system(), isOver: { .now >= end }, pause: Self.pause) else {
              continue
            }
          } catch is CancellationError {
            return
          } catch {
            logger.error("Files could not be checked for damage: \(error)")
          }
          try? await Task.sleep(for: Self.pollInterval)
        }
      } catch {
        logger.error("Files are not checked for damage: \(error)")
      }
    }
  }

  /// The time within which a check notices that the server stops.
  private static let patience: Duration = .milliseconds(250)

  private static func pause(after bytes: Int, taking time: Duration, shouldStop: () -> Bool) {
    var rest = ScrubPace.pause(after: bytes, taking: time)
    while rest > .zero, !shouldStop() {
      Thread.sleep(forTimeInterval: min(rest, patience) / .seconds(1))
      rest -= patience
    }
  }
}
