import Alerts
package import Answering
package import HTTP
package import Ingest
package import Logging
package import Questions
package import SignOn
package import Symbols
import TernEvents
package import Warehouse

/// The collector's dependencies.
package struct CollectorDependencies: Sendable {
  /// The store of events.
  package var sink: any EventSink
  /// The store that reports read.
  package var store: any MetricsStore
  /// The answers to questions about stored rows, and the rows of single persons.
  package var questions: any QuestionSource & TrailSource
  /// The store from which rows can be taken out; `nil` if it can't export.
  package var exporter: (any EventExport)?
  /// The store whose rows are counted for the page about the disk usage; `nil` for no such page.
  package var usage: (any RowUsageSource)?
  /// The apps, and the rights of accounts and tokens.
  package var catalog: any CollectorCatalog
  /// The secret for duplicate keys; must be the one used for the stored hashes.
  package var duplicateKey: DuplicateHashKey
  /// The threads on which reports run; `nil` for Swift's own.
  package var reportExecutor: (any TaskExecutor)?
  /// The files with symbols, and the store that receives them; `nil` if symbols aren't supported.
  package var symbols: (catalog: any SymbolCatalog, store: SymbolStore)?
  /// Returns the memory and disk space of the store, for `/metrics`.
  package var storage: @Sendable () -> StorageStatus
  /// Returns how far the copy on a cluster is, or `nil` if that can't be read; `nil` if there is no copy.
  package var cluster: (@Sendable () -> ClusterStatus?)?
  /// Returns the free bytes of the store's disk; `nil` if they can't be determined.
  package var freeDiskBytes: @Sendable () -> Int64? = { nil }
  /// Returns false if the disk has no room for events: then the server isn't ready, also before a batch has failed.
  package var hasRoom: @Sendable () -> Bool = { true }
  /// Returns what fails in the store at the moment, for `/readyz` and the portal.
  package var problems: @Sendable () -> [WarehouseProblem] = { [] }
  /// The regular backups; `nil` if the server makes none.
  package var backups: (any BackupControl)?
  /// Returns the deliveries of alerts and reports, for `/metrics`.
  package var deliveries: @Sendable () -> DeliveryStatus = { DeliveryStatus(kinds: []) }
  /// True if the server can send mails.
  package var sendsMail = false
  /// Records on disk the page and report requests in progress; `nil` to record nothing.
  package var requestJournal: (any RequestJournal)?
  /// The log of requests; `nil` for none.
  package var accessLog: AccessLog?
  /// The providers with which people sign in.
  package var providers: [SignOnProvider] = []
  package var clocks = Clocks()
  /// The log for errors. It never contains keys or tokens.
  package var logger: Logger

  /// Creates the dependencies that every collector has; the others are set afterwards.
  package init(
    sink: any EventSink, store: any MetricsStore, questions: any QuestionSource & TrailSource,
    catalog: any CollectorCatalog, duplicateKey: DuplicateHashKey, storage: @escaping @Sendable () -> StorageStatus,
    logger: Logger
  ) {
    (self.sink, self.store, self.questions, self.catalog) = (sink, store, questions, catalog)
    (self.duplicateKey, self.storage, self.logger) = (duplicateKey, storage, logger)
  }
}
