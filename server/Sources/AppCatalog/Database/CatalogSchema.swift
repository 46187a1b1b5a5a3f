import DataFiles
import Warehouse

/// The tables of `catalog.sqlite`. The statements of each are beside the code that reads and writes it.
enum CatalogSchema {
  /// The mark of `catalog.sqlite` in its header: "TrnA".
  static let format = DatabaseFormat(
    applicationID: 0x5472_6E41,
    steps: [
      tables, symbols, alerts, mailReports, identities, imported, zoneData, percentages, errorDecisions, auditCounts,
      secondFactors, confirmations, writeKeys,
    ])

  /// The statements that create the tables of version 1.
  private static let tables =
    apps + settings + accounts + tokens + links + audit + failedLogins + views + definitions + segments + jobs
    + dashboards + annotations + errorStates
}
