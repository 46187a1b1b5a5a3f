package import RowFiles
package import Warehouse

extension EventCounter {
  /// Opens the counts of a data directory for writing.
  package static func open(
    _ files: DataDirectory, catalog: any CatalogStore, configuration: WarehouseConfiguration,
    damage: DamagedRows = DamagedRows(), journal: WorkJournal? = nil
  ) throws -> EventCounter {
    do {
      let counter = try EventCounter(
        files, configuration: configuration, damage: damage, journal: journal, seed: .hashSeed(),
        calendar: catalog.calendar)
      if try counter.countedRow > StoredSpan.lastRow(counter.connection) {
        configuration.report("The counts include events that are missing. Stop the server and run `tern rebuild`.")
      }
      return counter
    } catch {
      throw WarehouseError.from(error)
    }
  }
}

extension UInt64 {
  /// A seed that only affects memory layout, so it needn't be injectable.
  static func hashSeed() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
