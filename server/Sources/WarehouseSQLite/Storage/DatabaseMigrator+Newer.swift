import GRDB
import Views
import Warehouse

extension DatabaseMigrator {
  /// Throws if a newer version of the program has changed the tables, since this version would misread them.
  func refuseNewer(_ reader: some DatabaseReader, path: String) throws {
    guard try reader.read(hasBeenSuperseded) else { return }
    throw WarehouseError(
      code: .invalid,
      message: "\(path) was written by a newer version of tern. Install that version, or restore an older backup.")
  }
}
